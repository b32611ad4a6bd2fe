use super::*;
use crate::{AddressClass, classify};

/// Answers every name with the same addresses.
struct Fixed(&'static [&'static str]);

impl Lookup for Fixed {
    fn lookup(&self, _: &str) -> LookupFuture {
        let parsed = self.0.iter().map(|text| text.parse().unwrap()).collect();
        Box::pin(async move { Ok(parsed) })
    }
}

/// Answers no name.
struct Broken;

impl Lookup for Broken {
    fn lookup(&self, _: &str) -> LookupFuture {
        Box::pin(async { Err(io::Error::other("the server is down")) })
    }
}

async fn resolve(lookup: impl Lookup + 'static) -> Result<Vec<String>, String> {
    let public = |host: &str, address| match classify(address) {
        AddressClass::Public => Ok(()),
        class => Err(io::Error::other(format!("{host}: {address} is {class}"))),
    };
    let resolver = CheckedResolver::new(Arc::new(lookup), public);
    match resolver.resolve("a.test").await {
        Ok(found) => Ok(found.iter().map(ToString::to_string).collect()),
        Err(error) => Err(error.to_string()),
    }
}

#[tokio::test]
async fn only_addresses_that_pass_the_check_are_used() {
    let mixed = Fixed(&["10.0.0.1", "93.184.215.14", "127.0.0.1", "2606:4700::1"]);
    let expected = ["93.184.215.14", "2606:4700::1"];
    assert_eq!(resolve(mixed).await.unwrap(), expected);
}

#[tokio::test]
async fn without_an_address_there_is_a_reason() {
    let refused = resolve(Fixed(&["10.0.0.1", "127.0.0.1"])).await;
    assert_eq!(refused.unwrap_err(), "a.test: 10.0.0.1 is a private address");
    assert_eq!(resolve(Fixed(&[])).await.unwrap_err(), "`a.test` has no address");
    let broken = resolve(Broken).await.unwrap_err();
    assert_eq!(broken, "`a.test` has no address: the server is down");
}
