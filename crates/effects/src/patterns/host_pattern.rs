//! Patterns of hosts.
//!
//! * A name is that name alone: `example.com`. `*.example.com` is any name in front of it, however many
//!   dots it has, but not `example.com` itself, as for certificates. Neither is `example.com.evil`.
//! * An address may be spelled in any way; both sides are compared in the usual spelling.
//! * `localhost` is every name and address of this machine: `127.0.0.0/8`, `::1`, `0.0.0.0`.
//! * That a host is not named at all, as in `git push origin`, is unknown for a list of what is outside and
//!   for `*`. It is no reason to think of a host that is listed.
//! * `*` is any host. `host:port` asks for the port as well; without it any port is meant.

use std::net::IpAddr;

use super::error::{PatternError, PatternFault, check_characters, check_text};
use super::found::{Cause, Found};
use super::glob::{Set, Token, may_meet};
use super::other_syntax::check_tool_rule;
use super::truth::Truth;
use crate::effects::{Effects, HostEffect, UnclearWhat};
use crate::host::{address, is_this_machine, normal_host};
use crate::word::{Word, WordPart};

/// A list of host patterns.
#[derive(Debug, Clone)]
pub struct HostPatterns {
    rules: Vec<Rule>,
    outside: bool,
}

#[derive(Debug, Clone)]
struct Rule {
    host: Host,
    port: Option<u16>,
    takes_out: bool,
}

#[derive(Debug, Clone)]
enum Host {
    Any,
    ThisMachine,
    Is(String),
    /// The name with a dot in front.
    EndsWith(String),
}

impl HostPatterns {
    /// Reads a list of patterns. `!pattern` takes out what a pattern before it put in.
    ///
    /// # Errors
    /// A pattern cannot be read.
    pub fn parse(patterns: &[impl AsRef<str>]) -> Result<Self, PatternError> {
        let mut rules: Vec<Rule> = Vec::new();
        for (index, written) in patterns.iter().enumerate() {
            let written = written.as_ref();
            let (text, takes_out) =
                written.strip_prefix('!').map_or((written, false), |rest| (rest, true));
            let (host, port) =
                read(text).map_err(|error| error.in_pattern(index, usize::from(takes_out)))?;
            if takes_out && rules.is_empty() {
                return Err(PatternError { index, offset: 0, fault: PatternFault::OnlyNegative });
            }
            rules.push(Rule { host, port, takes_out });
        }
        Ok(Self { rules, outside: false })
    }

    /// Reads a list of patterns: any other host is meant.
    ///
    /// # Errors
    /// A pattern cannot be read.
    pub fn outside(patterns: &[impl AsRef<str>]) -> Result<Self, PatternError> {
        Ok(Self { outside: true, ..Self::parse(patterns)? })
    }

    /// Returns which patterns mean no host, each with its place in the list and the reason.
    #[must_use]
    pub fn doubts(&self) -> Vec<(usize, String)> {
        let meant = |host: &str, port| {
            let effect = HostEffect { host: Word::text(host), port, by: String::new(), run: None };
            self.matches(&effect) == Truth::True
        };
        if self.outside {
            let some = ["w.example", "203.0.113.7", "localhost"];
            let some = some.into_iter().any(|host| meant(host, Some(443)) || meant(host, Some(80)));
            let why = "no host is outside of these".to_owned();
            return if some { Vec::new() } else { vec![(0, why)] };
        }
        let dead = self.rules.iter().enumerate().filter(|(_, rule)| {
            let port = rule.port.or(Some(443));
            !rule.takes_out && !rule.host.samples().iter().any(|host| meant(host, port))
        });
        let why = "the patterns with `!` take out all that it means";
        dead.map(|(at, _)| (at, why.to_owned())).collect()
    }

    /// Returns hosts that the list may mean, made up for its patterns.
    #[must_use]
    pub fn examples(&self) -> Vec<String> {
        let wanted = self.rules.iter().filter(|rule| !rule.takes_out && !self.outside);
        let any = Host::Any.samples();
        wanted.flat_map(|rule| rule.host.samples()).chain(any).collect()
    }

    /// Returns whether the list means the host of an effect.
    #[must_use]
    pub fn matches(&self, effect: &HostEffect) -> Truth {
        let mut answer = Truth::False;
        for rule in &self.rules {
            let meant = rule.matches(effect);
            answer = if rule.takes_out { answer.and(meant.not()) } else { answer.or(meant) };
        }
        if self.outside { answer.not() } else { answer }
    }

    /// Returns whether the list means one of the hosts that a step connects to.
    #[must_use]
    pub fn find(&self, effects: &Effects) -> Found {
        let mut found = Found::NOTHING;
        for (at, effect) in effects.connects.iter().enumerate() {
            found.add(self.matches(effect), Cause::Connect(at));
        }
        if found.truth == Truth::False {
            let adds = |what| match what {
                UnclearWhat::Anything | UnclearWhat::Program => true,
                UnclearWhat::Connects => self.outside || self.means_any_host(),
                _ => false,
            };
            if let Some(at) = effects.unclear.iter().position(|unclear| adds(unclear.what)) {
                found.add(Truth::Unknown, Cause::Unclear(at));
            }
        }
        found
    }

    /// Whether a host that nobody names is meant, as far as one can tell.
    fn means_any_host(&self) -> bool {
        self.rules.iter().any(|rule| matches!(rule.host, Host::Any) && !rule.takes_out)
    }
}

fn read(text: &str) -> Result<(Host, Option<u16>), PatternError> {
    check_text(text)?;
    check_characters(text)?;
    check_tool_rule(text)?;
    if text.starts_with('.') {
        return Err(PatternFault::DotHost(text.to_owned()).at(0));
    }
    if let Some(at) = text.find("://") {
        return Err(PatternFault::HostPart(text.get(..at + 3).unwrap_or_default().into()).at(0));
    }
    if let Some(at) = text.find(['/', '@', '?', '#', ' ']) {
        return Err(PatternFault::HostPart(text.get(at..=at).unwrap_or_default().into()).at(at));
    }
    let (name, port) = match text.rsplit_once(':') {
        // An address of version 6 without brackets has no port.
        Some((name, _)) if name.contains(':') && !name.ends_with(']') => (text, None),
        Some((name, port)) => {
            let fault = || PatternFault::Port(port.to_owned()).at(name.len() + 1);
            (name, Some(port.parse().map_err(|_| fault())?))
        }
        None => (text, None),
    };
    if name.is_empty() {
        return Err(PatternFault::Empty.at(0));
    }
    let in_name = |c: char| c.is_alphanumeric() || "-_.:[]%*?".contains(c);
    if let Some((at, sign)) = name.char_indices().find(|(_, c)| !in_name(*c)) {
        let names: Vec<&str> = name.split(['|', ',']).filter(|name| !name.is_empty()).collect();
        return Err(match names.len() > 1 && "|,".contains(sign) {
            true => PatternFault::SeveralHosts(names.join("`, `")).at(at),
            false => PatternFault::HostSign(sign).at(at),
        });
    }
    let host = match name.strip_prefix("*.") {
        _ if name == "*" => Host::Any,
        Some(rest) if !rest.is_empty() && !rest.contains('*') => {
            Host::EndsWith(format!(".{}", normal_host(rest)))
        }
        _ if name.contains(['*', '?']) => {
            return Err(PatternFault::HostStar.at(name.find(['*', '?']).unwrap_or_default()));
        }
        _ => match normal_host(name) {
            name if name == "localhost" => Host::ThisMachine,
            name => Host::Is(name),
        },
    };
    Ok((host, port))
}

impl Rule {
    fn matches(&self, effect: &HostEffect) -> Truth {
        let host = self.host.matches(&effect.host);
        match (self.port, effect.port) {
            (Some(asked), Some(port)) => host.and((asked == port).into()),
            (Some(_), None) => host.and(Truth::Unknown),
            (None, _) => host,
        }
    }
}

impl Host {
    /// Returns hosts that it means.
    fn samples(&self) -> Vec<String> {
        match self {
            Self::Any => ["w.example", "203.0.113.7", "localhost"].map(str::to_owned).to_vec(),
            Self::ThisMachine => ["localhost", "127.0.0.9"].map(str::to_owned).to_vec(),
            Self::Is(name) => vec![name.clone()],
            Self::EndsWith(end) => vec![format!("w{end}"), format!("x.y{end}")],
        }
    }

    fn matches(&self, host: &Word) -> Truth {
        match host.known() {
            Some(known) => self.is(&normal_host(&known)).into(),
            None => self.may_be(host),
        }
    }

    fn is(&self, host: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Is(name) => name == host,
            Self::EndsWith(end) => host.len() > end.len() && host.ends_with(end.as_str()),
            Self::ThisMachine => {
                let local = |address: IpAddr| is_this_machine(address);
                host == "localhost"
                    || host.ends_with(".localhost")
                    || address(host).is_some_and(local)
            }
        }
    }

    /// What an unknown part stands for can end the host, as in `https://$X.example.com` with
    /// `evil.com/` for `$X`, so this is never true.
    fn may_be(&self, host: &Word) -> Truth {
        let mut tokens = Vec::new();
        for part in &host.parts {
            match part {
                WordPart::Text(text) => tokens.extend(text.chars().map(Token::Char)),
                _ => tokens.push(Token::Many(Set::Any)),
            }
        }
        let own: Vec<Token> = match self {
            Self::Any => return Truth::True,
            Self::ThisMachine => return Truth::Unknown,
            Self::Is(name) => name.chars().map(Token::Char).collect(),
            Self::EndsWith(end) => {
                std::iter::once(Token::Many(Set::Any)).chain(end.chars().map(Token::Char)).collect()
            }
        };
        if may_meet(&tokens, &own) { Truth::Unknown } else { Truth::False }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::effects::Unclear;

    fn effect(host: &str, port: Option<u16>) -> HostEffect {
        HostEffect { host: Word::text(host), port, by: "curl".into(), run: None }
    }

    fn answer(patterns: &[&str], host: &str) -> Truth {
        HostPatterns::parse(patterns).unwrap().matches(&effect(host, Some(443)))
    }

    #[test]
    fn names() {
        assert_eq!(answer(&["example.com"], "example.com"), Truth::True);
        assert_eq!(answer(&["example.com"], "www.example.com"), Truth::False);
        assert_eq!(answer(&["*.example.com"], "a.b.example.com"), Truth::True);
        for other in ["example.com", "example.com.evil", "badexample.com", ".example.com"] {
            assert_eq!(answer(&["*.example.com"], other), Truth::False, "{other}");
        }
        assert_eq!(answer(&["*"], "anything"), Truth::True);
        assert_eq!(answer(&["Example.com."], "example.com"), Truth::True);
    }

    #[test]
    fn addresses_and_this_machine() {
        assert_eq!(answer(&["169.254.169.254"], "0xa9fea9fe"), Truth::True);
        for name in ["localhost", "127.0.0.1", "127.9.9.9", "::1", "2130706433", "a.localhost"] {
            assert_eq!(answer(&["localhost"], name), Truth::True, "{name}");
        }
        assert_eq!(answer(&["localhost"], "localhost.evil.com"), Truth::False);
        assert_eq!(answer(&["[::1]:443"], "::1"), Truth::True);
    }

    #[test]
    fn ports() {
        assert_eq!(answer(&["a:443"], "a"), Truth::True);
        assert_eq!(answer(&["a:80"], "a"), Truth::False);
        let patterns = HostPatterns::parse(&["a:80"]).unwrap();
        assert_eq!(patterns.matches(&effect("a", None)), Truth::Unknown);
        assert_eq!(patterns.matches(&effect("b", None)), Truth::False);
    }

    #[test]
    fn lists() {
        let list = ["*.example.com", "!evil.example.com"];
        assert_eq!(answer(&list, "evil.example.com"), Truth::False);
        assert_eq!(answer(&list, "good.example.com"), Truth::True);
        let outside = HostPatterns::outside(&list).unwrap();
        assert_eq!(outside.matches(&effect("good.example.com", None)), Truth::False);
        assert_eq!(outside.matches(&effect("example.org", None)), Truth::True);
    }

    #[test]
    fn unknown_hosts() {
        let mut host = Word::unknown("$SUB", false);
        host.push(WordPart::Text(".example.com".into()));
        let effect = HostEffect { host, ..effect("", None) };
        let ask = |pattern: &str| HostPatterns::parse(&[pattern]).unwrap().matches(&effect);
        assert_eq!(ask("*.example.com"), Truth::Unknown);
        assert_eq!(ask("example.org"), Truth::False);
        assert_eq!(ask("*"), Truth::True);
    }

    #[test]
    fn a_host_that_is_not_named_may_be_any_but_is_no_listed_one() {
        let unclear = Unclear { what: UnclearWhat::Connects, why: "origin".into(), run: None };
        let effects = Effects { unclear: vec![unclear], ..Effects::default() };
        let ask = |patterns: &[&str]| HostPatterns::parse(patterns).unwrap().find(&effects).truth;
        assert_eq!(ask(&["*"]), Truth::Unknown);
        assert_eq!(ask(&["*", "!localhost"]), Truth::Unknown);
        assert_eq!(ask(&["evil.com", "!*"]), Truth::False);
        assert_eq!(ask(&["evil.com"]), Truth::False);
        let outside = HostPatterns::outside(&["docs.rs"]).unwrap();
        assert_eq!(outside.find(&effects).truth, Truth::Unknown);
    }

    #[test]
    fn faults_have_their_place() {
        let fault = |pattern: &str| HostPatterns::parse(&["a", pattern]).unwrap_err();
        assert_eq!(fault("https://a.com").fault, PatternFault::HostPart("https://".into()));
        assert_eq!(fault("a.com/x").offset, 5);
        assert_eq!(fault("a.com:http").offset, 6);
        assert_eq!(fault("!a.*.com").offset, 3);
        assert_eq!(fault("").index, 1);
    }
}
