//! Shares of rows as they are written.

/// A share of rows is a fraction with a denominator of this at most.
const SHARES: u64 = 1 << 16;

/// A share of rows, `0.25` or `1/4`, exactly; nothing for what is no share, and why not for one that is too fine.
pub(super) fn share(text: &str) -> Option<std::result::Result<(u32, u32), String>> {
    let text = text.trim();
    let (a, b) = match text.split_once('/') {
        Some((a, b)) => (a.trim().parse::<u64>().ok()?, b.trim().parse::<u64>().ok()?),
        None => {
            let (whole, behind) = text.split_once('.').unwrap_or((text, ""));
            let behind = behind.trim_end_matches('0');
            let digits = [whole, behind].concat();
            if behind.len() > 15 || digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
                return None;
            }
            (digits.parse::<u64>().ok()?, 10u64.pow(behind.len() as u32))
        }
    };
    if a == 0 || a > b {
        return None;
    }
    let (mut common, mut rest) = (b, a);
    while rest > 0 {
        (common, rest) = (rest, common % rest);
    }
    let [a, b] = [a / common, b / common];
    Some(match b <= SHARES {
        true => Ok((a as u32, b as u32)),
        false => Err(format!(
            "Q = {text} is the fraction {a}/{b}; accepted: fractions with a denominator of at most {SHARES}, such as 0.3333 or 1/3"
        )),
    })
}
