use super::*;

#[test]
fn keys_of_secrets_are_told_in_every_spelling() {
    for key in [
        "SecretAccessKey",
        "SessionToken",
        "aws_secret_access_key",
        "db_password",
        "dbPassword",
        "accessToken",
        "passwd",
        "pwd",
        "credentials",
        "connectionString",
        "DB_PASS",
        "passphrase",
        "SECRET_KEY",
        "Client-Secret",
        "X-Auth-Token",
        "privateKey",
        "PGPASSWORD",
        "authtoken",
        "MYSQL_PWD",
        "secret_key_base",
        "AccountKey",
        "spring.datasource.password",
        "Proxy-Authorization",
        "_authToken",
        "API_KEY_2",
        "MY_SERVICE_PASS",
        "ConnectionString",
    ] {
        assert!(is_secret_key(key), "{key}");
    }
    for key in [
        "password_hint",
        "tokens",
        "max_tokens",
        "token_count",
        "access_key_id",
        "nextToken",
        "next_page_token",
        "continuationToken",
        "showPassword",
        "primary_key",
        "publicKey",
        "key",
        "author",
        "secretary",
        "tokenizer",
        "passed",
        "compass",
        "test_pass",
        "monkey",
        "first_pass",
        "",
        "string",
        "nexttoken",
        "secret_name",
        "passwordField",
    ] {
        assert!(!is_secret_key(key), "{key}");
    }
    for key in ["stripe_key", "STRIPE_KEY", "sessionKey"] {
        assert!(is_key_with_random_value(key), "{key}");
    }
}

#[test]
fn no_word_that_says_something_is_passed_over_by_its_ending() {
    let own = ["token", "password", "pwd", "key", "pass", "cookie", "string", "base"];
    for word in SECRET_WORDS.iter().chain(SECRET_ENDINGS).chain(&own) {
        for name in [word.to_string(), word.to_uppercase(), format!("my_{word}_2")] {
            assert!(may_hint(&name), "{name}");
        }
    }
    for name in ["path", "tool_name", "session_id", "", "n", "_", "\u{fc}", "12"] {
        assert!(!may_hint(name), "{name}");
    }
}
