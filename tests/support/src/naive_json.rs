//! A reader of JSON that says of each rule whether a text keeps it, to compare the strict parser
//! with.

/// Whether a text is one JSON value in which every key occurs once and every number is one that is
/// accepted; `None` if this naive parser cannot tell.
pub fn naive_json(text: &str, exact: bool) -> Option<bool> {
    let mut reader = Reader { rest: text, exact, hard: false };
    let good = reader.value(0).is_some() && reader.space().rest.is_empty();
    if reader.hard { None } else { Some(good) }
}

struct Reader<'t> {
    rest: &'t str,
    exact: bool,
    hard: bool,
}

impl<'t> Reader<'t> {
    fn space(&mut self) -> &mut Self {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\n', '\r']);
        self
    }

    fn take(&mut self, start: &str) -> Option<()> {
        self.rest = self.rest.strip_prefix(start)?;
        Some(())
    }

    fn value(&mut self, depth: u32) -> Option<()> {
        if depth > 100 {
            // Where the parser stops is its own affair.
            self.hard = true;
        }
        match self.space().rest.chars().next()? {
            '{' => {
                self.take("{")?;
                let mut keys = Vec::new();
                if self.space().take("}").is_some() {
                    return Some(());
                }
                loop {
                    let key = self.space().string()?;
                    if keys.contains(&key) {
                        return None;
                    }
                    keys.push(key);
                    self.space().take(":")?;
                    self.value(depth + 1)?;
                    if self.space().take("}").is_some() {
                        return Some(());
                    }
                    self.take(",")?;
                }
            }
            '[' => {
                self.take("[")?;
                if self.space().take("]").is_some() {
                    return Some(());
                }
                loop {
                    self.value(depth + 1)?;
                    if self.space().take("]").is_some() {
                        return Some(());
                    }
                    self.take(",")?;
                }
            }
            '"' => self.string().map(|_| ()),
            '-' | '0'..='9' => self.number(),
            _ => ["null", "true", "false"].into_iter().find_map(|word| self.take(word)),
        }
    }

    fn string(&mut self) -> Option<String> {
        self.take("\"")?;
        let mut escaped = false;
        let end = self.rest.find(|c: char| {
            let ends = c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
            ends
        })?;
        let (inside, rest) = self.rest.split_at(end);
        self.rest = rest.get(1..)?;
        // The meaning of escapes is not checked here.
        serde_json::from_str::<String>(&format!("\"{inside}\"")).ok()
    }

    fn number(&mut self) -> Option<()> {
        let end = self.rest.find(|c: char| !"+-.eE0123456789".contains(c));
        let (literal, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        let digits = literal.strip_prefix('-').unwrap_or(literal);
        let (mantissa, exponent) = digits.split_once(['e', 'E']).unwrap_or((digits, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
        let all_digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        let good = all_digits(whole)
            && all_digits(fraction)
            && all_digits(exponent.strip_prefix(['+', '-']).unwrap_or(exponent))
            && (whole == "0" || !whole.starts_with('0'));
        if !good {
            return None;
        }
        if mantissa.len() == digits.len() && !mantissa.contains('.') {
            let number: i128 = literal.parse().ok()?;
            let largest = if self.exact { i128::from(u64::MAX) } else { (1 << 53) - 1 };
            let least = if self.exact { i128::from(i64::MIN) } else { 1 - (1 << 53) };
            return (least..=largest).contains(&number).then_some(());
        }
        let held =
            held(whole, if mantissa.contains('.') { fraction } else { "" }, exponent, literal);
        if held.is_none() {
            self.hard = true;
        }
        held?.then_some(())
    }
}

/// Whether the double of a literal differs from it by less than half a unit of its last digit. Said
/// with whole numbers.
fn held(whole: &str, fraction: &str, exponent: &str, literal: &str) -> Option<bool> {
    let digits = format!("{whole}{fraction}");
    let short = digits.trim_end_matches('0');
    if short.trim_matches('0').is_empty() {
        return Some(true);
    }
    let exponent: i32 = exponent.parse().ok()?;
    let ten = exponent + i32::try_from(digits.len() - short.len()).ok()?
        - i32::try_from(fraction.len()).ok()?;
    let wanted: u128 = short.parse().ok()?;
    let double: f64 = literal.parse::<f64>().ok()?.abs();
    if !double.is_normal() {
        return None;
    }
    let bits = double.to_bits();
    let mut mantissa = u128::from((bits & ((1 << 52) - 1)) | 1 << 52);
    let mut two = i32::try_from(bits >> 52).ok()? - 1075;
    while mantissa % 2 == 0 {
        (mantissa, two) = (mantissa / 2, two + 1);
    }
    let power = |base: u128, exponent: i32| base.checked_pow(u32::try_from(exponent.max(0)).ok()?);
    let unit = power(10, ten)?.checked_mul(power(2, -two)?)?;
    let wanted = wanted.checked_mul(unit)?;
    let got = mantissa.checked_mul(power(2, two)?)?.checked_mul(power(10, -ten)?)?;
    let twice = wanted.abs_diff(got).checked_mul(2)?;
    // Half a unit may be rounded either way.
    (twice != unit).then_some(twice < unit)
}
