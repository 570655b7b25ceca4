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
        assert_eq!(rfc3339(u64::MAX), "9999-12-31T23:59:59.999Z");
    }
}
