//! Times as documents write them.

/// A time in milliseconds since 1970 as RFC 3339 in UTC; the last moment of the year 9999 stands
/// for all that come after it.
///
/// ```
/// use parlor_rules::utc::rfc3339;
/// assert_eq!(rfc3339(0), "1970-01-01T00:00:00.000Z");
/// assert_eq!(rfc3339(951_827_696_789), "2000-02-29T12:34:56.789Z");
/// ```
pub fn rfc3339(at_ms: u64) -> String {
    const LAST_MS: u64 = 253_402_300_799_999;
    let at_ms = at_ms.min(LAST_MS);
    let (days, ms) = (at_ms / 86_400_000, at_ms % 86_400_000);
    // Years are counted from March, so that the odd day is the last one, in eras of 400 years.
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era * 400 + u64::from(month <= 2);
    let (seconds, ms) = (ms / 1_000, ms % 1_000);
    let (hour, minute, second) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{ms:03}Z")
}

/// Reads RFC 3339, `2025-01-21T12:00:00Z`, with any offset and any fraction of a second, as
/// milliseconds since 1970; none if the text is no time, or one before 1970.
///
/// ```
/// use parlor_rules::utc::parse;
/// assert_eq!(parse("2000-02-29T13:34:56.789+01:00"), Some(951_827_696_789));
/// assert_eq!(parse("2001-02-29T12:00:00Z"), None);
/// ```
pub fn parse(text: &str) -> Option<u64> {
    let digits = |range: std::ops::Range<usize>| -> Option<i64> {
        let part = text.get(range)?;
        part.bytes().all(|b| b.is_ascii_digit()).then(|| part.parse().ok())?
    };
    let bytes = text.as_bytes();
    let signs = [(4, b"-"), (7, b"-"), (10, b"Tt"), (13, b":"), (16, b":")] as [(usize, &[u8]); 5];
    if !signs.iter().all(|(at, signs)| bytes.get(*at).is_some_and(|b| signs.contains(b))) {
        return None;
    }
    let (year, month, day) = (digits(0..4)?, digits(5..7)?, digits(8..10)?);
    let (hour, minute, second) = (digits(11..13)?, digits(14..16)?, digits(17..19)?);
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let last = match month {
        2 => 28 + i64::from(leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    // A leap second is a second; which of the two it is nobody needs to know.
    let in_range = (1..=12).contains(&month) && (1..=last).contains(&day);
    if !in_range || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let rest = text.get(19..)?;
    let (ms, zone) = match rest.strip_prefix('.') {
        Some(rest) => {
            let end = rest.find(|c: char| !c.is_ascii_digit())?;
            let padded = format!("{}000", &rest[..end]);
            (padded[..3].parse::<i64>().ok().filter(|_| end > 0)?, &rest[end..])
        }
        None => (0, rest),
    };
    let offset = match zone.as_bytes() {
        [b'Z' | b'z'] => 0,
        [sign @ (b'+' | b'-'), _, _, b':', _, _] => {
            let at = text.len() - 5;
            let (hours, minutes) = (digits(at..at + 2)?, digits(at + 3..at + 5)?);
            let minutes = (hours < 24 && minutes < 60).then_some(hours * 60 + minutes)?;
            if *sign == b'+' { minutes } else { -minutes }
        }
        _ => return None,
    };
    // The inverse of what is done above: years from March, in eras of 400 years.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1;
    let seconds = (days - 719_468) * 86_400 + hour * 3_600 + (minute - offset) * 60 + second;
    u64::try_from(seconds * 1_000 + ms).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_day_follows_the_one_before() {
        let by = |year: u64, n| year.is_multiple_of(n);
        let leap = |year| by(year, 4) && (!by(year, 100) || by(year, 400));
        let (mut year, mut month, mut day) = (1970, 1, 1);
        for days in 0..200_000u64 {
            let told = rfc3339(days * 86_400_000 + 1);
            assert_eq!(told, format!("{year:04}-{month:02}-{day:02}T00:00:00.001Z"));
            assert_eq!(parse(&told), Some(days * 86_400_000 + 1));
            let last = match month {
                2 => 28 + u64::from(leap(year)),
                4 | 6 | 9 | 11 => 30,
                _ => 31,
            };
            (year, month, day) = match (month, day) {
                (12, 31) => (year + 1, 1, 1),
                (month, day) if day == last => (year, month + 1, 1),
                (month, day) => (year, month, day + 1),
            };
        }
        let bad = "yesterday 2025-01-21 2025-1-21T12:00:00Z 2025-01-21T12:00:00 2025-01-21T24:00:00Z
            2025-13-01T00:00:00Z 2025-02-29T00:00:00Z 2025-01-21T12:00:00.Z 2025-01-21T12:00:00+1:00
            2025-01-21T12:00:00+24:00 +025-01-21T12:00:00Z 2025-01-21T12:00:0éZ 1969-12-31T23:59:59Z";
        for bad in bad.split_whitespace() {
            assert_eq!(parse(bad), None, "{bad}");
        }
        assert_eq!(rfc3339(u64::MAX), "9999-12-31T23:59:59.999Z");
    }
}
