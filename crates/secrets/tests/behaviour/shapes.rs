//! Secrets by the shape of what is around them: tables, key files, header fields, lines that were broken.
//!
//! `%` is a random text, `#` a password, `=` one in base64 with a user before it.

#![allow(clippy::expect_used, clippy::string_slice, reason = "a test may fail")]

use hookgate_secrets::{Finder, Secrets};

const RANDOM: &str = "wJalr7XUtnFEMIaK7MDENGxbPx4RfiCY9zAMPLEK";
const PASSWORD: &str = "hunter2-Xy9";

fn made(text: &str) -> String {
    text.replace('%', RANDOM).replace('#', PASSWORD).replace("<percent>", "%")
}

/// Texts with one secret each, or more.
const SECRETS: &[&str] = &[
    // A column of a table.
    "Access key ID,Secret access key\nAKIDEXAMPLE,%\n",
    "User name,Password,Console login link\nme,#,https://1.example.com/console\n",
    "user;password\nadmin;#\nroot;#\n",
    "user\tpassword\nadmin\t#\n",
    "| name | token |\n|---|---|\n| ci | % |\n",
    "\"id\",\"api_key\"\n\"1\",\"%\"\n",
    // Key files.
    "PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nComment: me\nPublic-Lines: 1\nAAAAC3NzaC1lZDI1\n\
     Private-Lines: 1\n%\nPrivate-MAC: 0a1b2c",
    "client-key-data: LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQ%",
    "tls.key: LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0tLS0tCk%",
    "key: LS0tLS1CRUdJTiBFQyBQUklWQVRFIEtFWS0tLS0tCk%",
    "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n%\n=abcd\n-----END PGP PRIVATE KEY BLOCK-----",
    "PrivateKey = %=",
    "PresharedKey = %=",
    "psk=\"#\"",
    // URLs.
    "https://%@sentry.example.com/1",
    "https://%:@api.example.com/v1",
    "git clone https://3f2504e0-4f89-11d3-9a0c-0305e82c3301@git.example.com/a",
    "https://oauth2:%@git.example.com/a/b.git",
    // Header fields.
    "{\"set-cookie\": \"sid=%; Path=/; HttpOnly\"}",
    "{\"set-cookie\": [\"sid=%; Path=/\"]}",
    "['set-cookie', 'sid=%; Path=/']",
    "< Set-Cookie: sid=%; Path=/",
    "Cookie: a=1; sid=%",
    // The value stands on the next line.
    "password:\n  #\n",
    "\"api_key\":\n    \"%\"",
    "api_key: |\n  %\n",
    "token: >-\n    %\n",
    "DB_PASSWORD=\\\n#\n",
    "<key>apiToken</key>\n<string>%</string>",
    "<entry key=\"password\">#</entry>",
    "<property name=\"db.password\">#</property>",
    "Secret access key:\n%\n",
    // Words of programs.
    "mysql -u root -p# app",
    "sshpass -p# ssh me@host",
    "ENV DB_PASSWORD #",
    "set -x API_TOKEN %",
    "requirepass #",
    "redis-cli -a # ping",
    "smbclient //h/s -U me<percent>#",
    "openssl rsa -passin pass:#",
    "IDENTIFIED WITH mysql_native_password BY '#'",
    "{\"auths\":{\"r\":{\"auth\":\"bWU6aHVudGVyMi1YeTk=\"}}}",
    "\"pass\": \"#\"",
    "localhost:5432:app:me:#",
    ".example.com\tTRUE\t/\tTRUE\t0\tsession\t%",
    "s.0aB1cD2eF3gH4iJ5kL6mN7oP is the old X-Vault-Token: %",
    "root:$6$saltsalt$%%:19000:0:99999:7:::",
    "me:$2y$10$0aB1cD2eF3gH4iJ5kL6mNu0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0",
];

/// What may be left of a text: neither the random text nor the password.
fn is_hidden(text: &str) -> bool {
    !text.contains(RANDOM)
        && !text.contains(PASSWORD)
        && !text.contains("bWU6aHVudGVyMi1YeTk")
        && !text.contains("3f2504e0")
        && !text.contains("0aB1cD2eF3gH4iJ5kL6mNu")
}

/// Texts of the same shapes without a secret.
const OTHERS: &[&str] = &[
    "name,password\nfoo,bar\n",
    "first, token, last\nand a line, with three, commas\n",
    "| field | token |\n|---|---|\n| a | the id of a session |\n",
    "key,value\na,0aB1cD2eF3gH4iJ5kL6m\n",
    "input tokens,output tokens\n120394,233\n",
    "certificate-authority-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUM",
    "Public-Lines: 1\nAAAAC3NzaC1lZDI1NTE5AAAAIPx\n",
    "https://3f2504e0-4f89-11d3-9a0c-0305e82c3301.example.com/a",
    "https://user@example.com/a",
    "password:\n  type: string\n",
    "\"token\":\n    \"string\"",
    "Enter the password:\nDone.",
    "secrets:\n  - source: db\n",
    "token:\n  required: true\n",
    "the api key:\n\n1234567890abcdef",
    "<key>name</key>\n<string>0aB1cD2eF3gH4iJ5kL6m</string>",
    "<entry key=\"count\">12345678</entry>",
    "mysql -u root -p app",
    "mkdir -pv /srv/mysql/data1",
    "ENV PATH /usr/local/bin:/usr/bin",
    "ENV TOKEN_FILE /run/secrets/token1",
    "set -x DISPLAY :0.0",
    "\"pass\": \"all tests\"",
    "\"pass\": 12, \"fail\": 3",
    "\"cookie\": \"^0.5.0\"",
    "10.0.0.1:5432:up:ok",
    "src/main.rs:120:4: unused variable",
    "echo $1$2$3",
    "tests:\n  sk-\nnothing-here",
    "a list of ghp_\ntokens",
    "\"auth\": \"required\"",
    "psk = load_psk()",
];

#[test]
fn what_has_the_shape_alone_stays() {
    for text in OTHERS {
        assert_eq!(Finder::catalogue().redact(text), None, "{text}");
    }
}

/// Tokens, and the values of a config, are found wherever a line break cuts them.
#[test]
fn a_line_break_hides_nothing() {
    let tokens = [
        format!("ghp_{}", &RANDOM[..36]),
        "AKIA0123456789ABCDEF".to_owned(),
        format!("glpat-{}", &RANDOM[..20]),
        format!("sk-ant-api03-{RANDOM}"),
        format!("eyJ{}.{RANDOM}.{RANDOM}", &RANDOM[..20]),
    ];
    for token in &tokens {
        for at in 6..token.len() {
            for end in ["\n", "\r\n"] {
                let (start, rest) = token.split_at(at);
                let text = format!("it said {start}{end}{rest}{end}and no more");
                let (redacted, _) = Finder::catalogue().redact(&text).expect("a secret");
                assert!(redacted.contains("and no more"), "{redacted}");
                let is_word = !rest.contains(|sign: char| sign.is_ascii_digit());
                assert!(
                    !redacted.contains(rest) || rest.len() < 4 || is_word,
                    "{text}\nbecame\n{redacted}"
                );
            }
        }
    }
    let value = "hunter2-and-more-0aB1cD2e";
    let secrets = Secrets::new([("API_KEY".to_owned(), value.to_owned())]);
    for at in 1..value.len() {
        let (start, rest) = value.split_at(at);
        for end in ["\n", "\r\n"] {
            let hidden = secrets.hide(&format!("401 for {start}{end}{rest}!"));
            assert_eq!(hidden, "401 for [API_KEY]!");
        }
    }
}

#[test]
fn secrets_are_found_by_what_is_around_them() {
    let mut shown = Vec::new();
    for text in SECRETS {
        let text = made(text);
        let (redacted, _) = Finder::catalogue().redact(&text).unwrap_or((text.clone(), 0));
        if !is_hidden(&redacted) {
            shown.push(redacted);
        } else if !is_hidden(&Secrets::default().hide(&text))
            || !Finder::catalogue().suspects(&text)
        {
            shown.push(format!("by one of two: {text}"));
        }
    }
    assert!(shown.is_empty(), "{} of {} are shown: {shown:#?}", shown.len(), SECRETS.len());
}
