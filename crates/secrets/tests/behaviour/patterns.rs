//! Texts as tools write them. Samples are put together here, so that no scanner takes this file for
//! a leak.

use hookgate_secrets::{Finder, SECRET_PATTERNS, Secrets};

const LONG: &str = "0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV1wX2yZ3aB4cD5eF6gH7iJ8kL9mN0oP1qR2sT3uV4wX5";
const HEX: &str = "0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f9";

fn long(length: usize) -> &'static str {
    LONG.get(..length).unwrap()
}

fn hex(length: usize) -> &'static str {
    HEX.get(..length).unwrap()
}

/// Texts, and what may not be left of them.
pub(crate) fn secrets() -> Vec<(String, String)> {
    let mut all = Vec::new();
    let mut whole = |text: String| all.push((text.clone(), text));
    for (head, length) in [
        ("xapp-1-A0123-", 24),
        ("hf_", 34),
        ("SG.0aB1cD2eF3gH4iJ5kL6mN7.", 43),
        ("ya29.a0", 40),
        ("whsec_", 32),
        ("hvs.CAESI", 40),
        ("ATATT3xFfGF0", 60),
        ("dckr_pat_", 27),
        ("glrt-", 20),
        ("gldt-", 20),
        ("gsk_", 52),
        ("xai-", 70),
        ("GOCSPX-", 28),
        ("github_pat_11", 60),
        ("sk-ant-api03-", 60),
        ("sk-proj-", 60),
        ("sk-", 48),
        ("npm_", 36),
        ("pypi-AgEI", 60),
        ("rk_live_", 24),
        ("xoxe.xoxp-1-", 40),
        ("nvapi-", 60),
        ("r8_", 37),
        ("pplx-", 48),
        ("lin_api_", 40),
        ("secret_", 43),
        ("ntn_", 46),
        ("tskey-auth-", 30),
        ("figd_", 40),
        ("glsa_", 40),
        ("EAAAE", 0),
        ("ghr_", 36),
        ("dp.pt.", 43),
        ("sntrys_", 50),
    ] {
        if length > 0 {
            whole(format!("{head}{}", long(length)));
        }
    }
    for (head, length) in [
        ("SK", 32),
        ("key-", 32),
        ("dop_v1_", 64),
        ("shpat_", 32),
        ("dapi", 32),
        ("sbp_", 40),
        ("pul-", 40),
        ("rubygems_", 48),
    ] {
        whole(format!("{head}{}", hex(length)));
    }
    whole(format!("{}-{}-{}", hex(32), hex(8), hex(8)));
    whole(format!("AGE-SECRET-KEY-1{}", "Q7ZX".repeat(14)));
    whole(format!("1234567890:AA{}", long(33)));
    whole(format!("MTIzNDU2Nzg5MDEyMzQ1Njc4.GaBcDe.{}", long(38)));
    whole(format!("abc8Q~{}", long(33)));
    // JSON web tokens: signed, and encrypted with and without a key of their own.
    let head = format!("eyJ{}", long(20));
    whole(format!("{head}.{}.{}", long(30), long(40)));
    whole(format!("{head}.{}.{}.{}.{}", long(30), long(16), long(40), long(22)));
    whole(format!("{head}..{}.{}.{}", long(16), long(40), long(22)));
    let mut inside = |text: String, secret: &str| all.push((text, secret.to_owned()));
    for text in [
        "https://hooks.slack.com/services/T0/B0/%",
        "https://discord.com/api/webhooks/123456789012345678/%%",
        "https://a.blob.core.windows.net/c?sv=2022-11-02&sig=%3D",
        "AccountName=a;AccountKey=%==;EndpointSuffix=x",
        "DB_PASS=%",
        "export MYSQL_PWD=%",
        "passphrase: %",
        "SECRET_KEY=%",
        "STRIPE_KEY=%",
        "my_signing_key=%",
        "--password %",
        "--password=%",
        "docker login -p %",
        "sshpass -p % ssh me@host",
        "curl -u me:% https://x",
        "curl -s --user \"me:%\" https://x",
        "Cookie: sid=%; theme=dark",
        "Set-Cookie: sid=%; Path=/",
        "Authorization: Bearer %",
        "authorization: token %",
        "Authorization: %",
        "X-Api-Key: %",
        "'password' => '%'",
        "<password>%</password>",
        "<ns:ApiKey>%</ns:ApiKey>",
        "<a password=\"%\"/>",
        "machine h login me password %",
        "machine h\n  login me\n  password %",
        "postgres://me:a/%@db/x",
        "redis://:%@localhost",
        "https://%@github.com/a/b.git",
        "https://%:x-oauth-basic@github.com",
        "{\"SecretAccessKey\": \"%\", \"SessionToken\": \"%\"}",
        "{\\\"dbPassword\\\":\\\"%\\\"}",
        "name: DB_PASSWORD\n  value: %",
        "- name: DB_PASSWORD\n  value: \"%\"",
        "{\"name\":\"API_TOKEN\",\"value\":\"%\"}",
        "<add key=\"DbPassword\" value=\"%\" />",
        "headers[\"Authorization\"] = \"Bearer %\"",
        "user[password]=%&x=1",
        "//registry.example.com/:_authToken=%",
        "const token: &str = \"%\";",
        "password: string = '%'",
        "IDENTIFIED BY '%'",
        "?access_token=%&page=2",
        "host:6380,password=%,ssl=True",
        "PGPASSWORD=% psql",
        "Server=x;Password=%;Database=y",
        "spring.datasource.password=%",
        "[\"--token\", \"%\"]",
        "token := \"%\"",
        "password = b\"%\"",
        "Proxy-Authorization: Basic %",
        "client_secret=%&grant_type=x",
        "mysqldump --password='%'",
        "\\nDB_PASSWORD=%\\nNEXT=1",
        "password=`%`",
        "x -H 'Authorization: Bearer %'",
        "passwd: %,",
    ] {
        inside(text.replace('%', long(20)), long(20));
    }
    for (text, secret) in [
        ("password=hunter2", "hunter2"),
        ("password: hunter2", "hunter2"),
        ("DB_PASSWORD=CorrectHorse", "CorrectHorse"),
        ("password = 'correct horse battery'", "correct horse battery"),
        ("password: correcthorse", "correcthorse"),
        ("Authorization: Digest username=\"me\", response=\"0a1b2c\"", "0a1b2c"),
        ("password=p4ss,word!", "p4ss,word!"),
        ("https://me:hunter2@h/x", "hunter2"),
        ("-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqh\nAb3=", "MIIEvQIBADANBgkqh\nAb3="),
        ("log MIIEvQIBADANBgkqh\nAb3=\n-----END RSA PRIVATE KEY----- x", "MIIEvQIBADANBgkqh\nAb3="),
        ("Authorization: Basic dXNlcjpwYXNz", "dXNlcjpwYXNz"),
        ("sent Basic dXNlcjpwYXNz", "dXNlcjpwYXNz"),
    ] {
        inside(text.to_owned(), secret);
    }
    all
}

#[test]
fn every_sample_is_hidden_by_redaction_and_in_errors() {
    for (text, secret) in secrets() {
        for text in [text.clone(), format!("it says:\n{text}\nand more"), format!("  {text}")] {
            let (redacted, count) = Finder::catalogue().redact(&text).unwrap_or_default();
            assert!(count > 0 && !redacted.contains(&secret), "{text}\nbecame\n{redacted}");
            assert!(Finder::catalogue().suspects(&text), "{text}");
            let hidden = Secrets::default().hide(&text);
            assert!(!hidden.contains(&secret), "{text}\nbecame\n{hidden}");
        }
    }
}

/// One catalogue: a pattern that only one of the two knew would be a leak in the other.
#[test]
fn redaction_and_errors_know_the_same_patterns() {
    for pattern in SECRET_PATTERNS {
        let (head, tail) = pattern.example;
        let text = format!("it says {head}{tail} here");
        let (redacted, _) = Finder::catalogue().redact(&text).unwrap_or_default();
        let hidden = Secrets::default().hide(&text);
        assert!(redacted.contains(&format!("[redacted:{}]", pattern.name)), "{redacted}");
        assert!(hidden.contains("[secret]"), "{}: {hidden}", pattern.name);
        for out in [&redacted, &hidden] {
            assert!(!out.contains(tail), "{}: {out}", pattern.name);
        }
        // They differ in the placeholder only, so they match at the same offsets.
        let around = outside_placeholders(&redacted, "[redacted:", "]");
        assert_eq!(around, outside_placeholders(&hidden, "[secret", "]"), "{text}");
    }
    // The control: both leave other texts alone.
    let text = "it says nothing here";
    assert_eq!(Finder::catalogue().redact(text), None);
    assert_eq!(Secrets::default().hide(text), text);
}

/// What is left of a text without its placeholders.
fn outside_placeholders<'a>(mut text: &'a str, open: &str, close: &str) -> Vec<&'a str> {
    let mut parts = Vec::new();
    while let Some((before, rest)) = text.split_once(open) {
        parts.push(before);
        text = rest.split_once(close).map_or("", |(_, after)| after);
    }
    parts.push(text);
    parts
}

#[test]
fn what_only_looks_like_a_secret_stays() {
    let image = format!("data:image/png;base64,iVBORw0KGgo{}", LONG.repeat(3));
    for text in [
        "commit d6786877ec0d3f2a1b4c5d6e7f8091a2b3c4d5e6",
        "fa812bfe-b295-4cca-9c2f-fdf01028cb46",
        "sha256:0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f9",
        &image,
        "\"integrity\": \"sha512-0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV1wX2yZ3aB4cD5eF6gH7iJ8kL9mN0oP1qR2sT3uV4wX5==\"",
        "token: CancellationToken",
        "    token: CancellationToken,",
        "secret: Option<String>",
        "password: PasswordField",
        "api_key = os.environ[\"API_KEY\"]",
        "apiKey: process.env.API_KEY,",
        "token = get_token()",
        "password=password,",
        "token = self.token",
        "let secret = config.secret_value;",
        "password: str",
        "password: string;",
        "token: &'a str",
        "fn check(token: &str, name: &str)",
        "class=\"sk-fading-circle sk-circle-fade-dot sk-cube-grid-container\"",
        "DB_PASSWORD=$DB_PASSWORD",
        "password: ${{ secrets.DB_PASSWORD }}",
        "token=\"${TOKEN}\"",
        "--token <TOKEN>",
        "--password PASSWORD",
        "      --token string   the token",
        "use --password to set it",
        "the password is too short: secret",
        "PWD=/home/me/projects",
        "password_file: /run/secrets/db",
        "DB_PASSWORD_FILE=/run/secrets/db",
        "secret: /run/secrets/db_1",
        "max_tokens: 123456789",
        "total_tokens=1234567890",
        "nextPageToken: abcdefgh12345",
        "tokenizer=AutoTokenizer",
        "https://example.com:8080/a@b",
        "http://localhost:4873/@scope/package",
        "mailto:me@example.com",
        "git@github.com:a/b",
        "postgres://me:$PASSWORD@db/x",
        "if token == \"\" {",
        "password != other_password",
        "secret::Secret::new()",
        "a ? token : other",
        "Bearer of good news",
        "Basic Authentication",
        "primary_key=users_pkey_0123456789",
        "cache_key = 'user/12/profile.html'",
        "\"password\": \"Password\"",
        "placeholder=\"Enter your password\"",
        "password: \"your password must not be empty\"",
        "password=********",
        "token: xxxxxxxxxxxx",
        "secret = nil",
        "token = null",
        "pass: 12, fail: 3",
        "tests passed=1200 failed=3",
        "AKIA is a prefix",
        "key: value",
        "public_key=0aB1cD2eF3gH4iJ5kL6m",
        "<password></password>",
        "--user 1000:1000",
        "docker run -u node:node x",
        "the token-bucket: refilled",
        "a task-force-with-a-rather-long-name-0123456789",
        "defmodule Token do",
        "secret_key_base: System.get_env(\"SECRET_KEY_BASE\")",
        "%{token: token, user: user}",
        "-----BEGIN CERTIFICATE-----",
        "-----BEGIN PRIVATE KEY-----",
        "cookie: a small thing",
        "author: Somebody Else",
    ] {
        assert_eq!(Finder::catalogue().redact(text), None, "{text}");
        assert_eq!(Secrets::default().hide(text), text);
    }
}
