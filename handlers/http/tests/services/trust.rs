//! Promise: a hook trusts only the authorities and pins of its config, and shows only its own
//! certificate.

use std::path::Path;
use std::sync::Arc;

use hmac_sha256::Hash;
use hookgate_contract::FailureClass::{Auth, Unreachable};
use hookgate_contract::{Reply, Verdict};
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, PublicKeyData,
    date_time_ymd,
};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use crate::kit::{Mode, Service, build_in, failed, http, invoke};

type Authority = CertifiedIssuer<'static, KeyPair>;

fn authority(name: &str) -> Authority {
    let mut params = CertificateParams::default();
    params.distinguished_name.push(DnType::CommonName, name);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
}

/// A certificate and its key.
struct Leaf {
    pem: String,
    der: CertificateDer<'static>,
    key: KeyPair,
}

impl Leaf {
    fn new(authority: &Authority, name: &str, expired: bool) -> Self {
        let mut params = CertificateParams::new([name.to_owned()]).unwrap();
        if expired {
            params.not_after = date_time_ymd(2020, 1, 1);
        }
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, authority).unwrap();
        Self { pem: certificate.pem(), der: certificate.der().clone(), key }
    }

    fn pin(&self) -> String {
        let hash = Hash::hash(&self.key.subject_public_key_info());
        let hex: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("sha256:{hex}")
    }
}

/// A service with this certificate; with an authority, it wants to know its clients.
async fn serve(leaf: &Leaf, clients: Option<&Authority>) -> Service {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .unwrap();
    let builder = match clients {
        None => builder.with_no_client_auth(),
        Some(authority) => {
            let mut roots = RootCertStore::empty();
            roots.add(authority.der().clone()).unwrap();
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
            builder.with_client_cert_verifier(verifier.build().unwrap())
        }
    };
    let key = PrivateKeyDer::try_from(leaf.key.serialize_der()).unwrap();
    let config = builder.with_single_cert(vec![leaf.der.clone()], key).unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    Service::with(listener, Mode::Padded(100), move |stream| {
        let acceptor = acceptor.clone();
        async move { acceptor.accept(stream).await.ok() }
    })
}

async fn invoke_at(service: &Service, base: &Path, more: Value) -> Reply {
    let mut settings = json!({
        "url": format!("https://{}/", service.address),
        "allow_loopback": [service.address.to_string()],
    });
    settings.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    invoke(&build_in(&http(), &settings, base).unwrap()).await
}

fn refused() -> Reply {
    Ok(Verdict::deny("refused"))
}

#[tokio::test]
async fn only_the_authorities_in_the_file_are_trusted() {
    let folder = tempfile::tempdir().unwrap();
    let (ours, other) = (authority("ours"), authority("other"));
    std::fs::write(folder.path().join("ours.pem"), ours.pem()).unwrap();
    std::fs::write(folder.path().join("other.pem"), other.pem()).unwrap();
    std::fs::write(folder.path().join("both.pem"), other.pem() + &ours.pem()).unwrap();

    let service = serve(&Leaf::new(&ours, "127.0.0.1", false), None).await;
    for file in ["ours.pem", "both.pem"] {
        assert_eq!(invoke_at(&service, folder.path(), json!({"ca_file": file})).await, refused());
    }
    for more in [json!({"ca_file": "other.pem"}), json!({})] {
        let (class, detail) = failed(invoke_at(&service, folder.path(), more).await);
        assert_eq!(class, Unreachable);
        assert!(detail.contains("UnknownIssuer") && detail.contains("ca_file"), "{detail}");
    }
    for (leaf, part) in [
        (Leaf::new(&ours, "127.0.0.2", false), "not valid for name"),
        (Leaf::new(&ours, "127.0.0.1", true), "expired"),
    ] {
        let service = serve(&leaf, None).await;
        let trusting = json!({"ca_file": "ours.pem", "pin": leaf.pin()});
        let (class, detail) = failed(invoke_at(&service, folder.path(), trusting).await);
        assert_eq!(class, Unreachable);
        assert!(detail.contains(part), "{detail}");
    }
}

#[tokio::test]
async fn a_pin_is_checked_beside_the_authority() {
    let folder = tempfile::tempdir().unwrap();
    let (ours, other) = (authority("ours"), authority("other"));
    std::fs::write(folder.path().join("ours.pem"), ours.pem()).unwrap();
    std::fs::write(folder.path().join("other.pem"), other.pem()).unwrap();
    let leaf = Leaf::new(&ours, "127.0.0.1", false);
    let service = serve(&leaf, None).await;
    let (right, wrong) = (leaf.pin(), format!("sha256:{}", "ab".repeat(32)));

    for pin in [json!(right), json!([wrong, right])] {
        let more = json!({"ca_file": "ours.pem", "pin": pin});
        assert_eq!(invoke_at(&service, folder.path(), more).await, refused());
    }
    let more = json!({"ca_file": "ours.pem", "pin": wrong});
    let (class, detail) = failed(invoke_at(&service, folder.path(), more).await);
    assert_eq!(class, Unreachable);
    assert!(detail.contains(&right) && detail.contains("not pinned"), "{detail}");
    // The right key does not make up for an unknown authority.
    let more = json!({"ca_file": "other.pem", "pin": right});
    assert!(failed(invoke_at(&service, folder.path(), more).await).1.contains("UnknownIssuer"));
    // Nothing of the step was sent where there was no trust.
    assert_eq!(service.requests().len(), 2);
}

#[tokio::test]
async fn the_service_sees_who_calls() {
    let folder = tempfile::tempdir().unwrap();
    let (ours, other) = (authority("ours"), authority("other"));
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("ours.pem", &ours.pem());
    for (name, authority) in [("known", &ours), ("stranger", &other)] {
        let leaf = Leaf::new(authority, "hookgate", false);
        write(&format!("{name}.crt"), &leaf.pem);
        write(&format!("{name}.key"), &leaf.key.serialize_pem());
    }
    let service = serve(&Leaf::new(&ours, "127.0.0.1", false), Some(&ours)).await;
    let as_client = |name: &str| {
        json!({
            "ca_file": "ours.pem",
            "client_cert": format!("{name}.crt"),
            "client_key": format!("{name}.key"),
        })
    };
    assert_eq!(invoke_at(&service, folder.path(), as_client("known")).await, refused());
    for more in [as_client("stranger"), json!({"ca_file": "ours.pem"})] {
        let (class, detail) = failed(invoke_at(&service, folder.path(), more).await);
        assert_eq!(class, Auth, "{detail}");
        assert!(detail.contains("client certificate"), "{detail}");
    }
    assert_eq!(service.requests().len(), 1);
    // A key of another certificate is found out when the table is built.
    let mixed = json!({
        "url": "https://policy.example.com/", "ca_file": "ours.pem",
        "client_cert": "known.crt", "client_key": "stranger.key",
    });
    assert!(build_in(&http(), &mixed, folder.path()).is_err());
}

#[tokio::test]
async fn a_service_without_tls_is_unreachable() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::start(Mode::Garbage).await;
    assert_eq!(failed(invoke_at(&service, folder.path(), json!({})).await).0, Unreachable);
    let service = Service::start(Mode::Never).await;
    let quick = json!({"connect_timeout": "100ms"});
    assert_eq!(failed(invoke_at(&service, folder.path(), quick).await).0, Unreachable);
}
