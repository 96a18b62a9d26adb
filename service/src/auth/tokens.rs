//! Bearer tokens by their hashes: a file that says nothing to whoever reads it.
//!
//! A line is the name of a tenant and the SHA-256 of a token in hexadecimal, as `printf %s "$TOKEN"
//! | sha256sum` prints it. A tenant may have several tokens, so that one can be replaced by the
//! next. Empty lines and those that begin with `#` are passed over.

use std::collections::HashMap;
use std::fmt;

use sha2::{Digest, Sha256};

use super::Tenant;

/// The known tokens. To find one takes as long whether its hash is nearly right or not at all.
pub(super) struct Tokens(HashMap<[u8; 32], Tenant>);

impl Tokens {
    /// The tokens of a file.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, String> {
        let text = std::str::from_utf8(bytes).map_err(|_| "not a text file".to_owned())?;
        let mut tokens = HashMap::new();
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let mut words = line.split_whitespace();
            let tenant = words.next().and_then(Tenant::named);
            let hash = words.next().and_then(hash);
            let (Some(tenant), Some(hash), None) = (tenant, hash, words.next()) else {
                return Err(format!(
                    "line {number} is not a tenant and the SHA-256 of a token in hexadecimal"
                ));
            };
            if let Some(other) = tokens.insert(hash, tenant.clone())
                && other != tenant
            {
                return Err(format!("line {number} repeats a token of another tenant"));
            }
        }
        if tokens.is_empty() {
            return Err("there is no token in it".to_owned());
        }
        Ok(Self(tokens))
    }

    /// Whose token it is.
    pub(super) fn tenant(&self, token: &str) -> Option<Tenant> {
        let hash: [u8; 32] = Sha256::digest(token.as_bytes()).into();
        self.0.get(&hash).cloned()
    }
}

impl fmt::Debug for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tokens({})", self.0.len())
    }
}

fn hash(text: &str) -> Option<[u8; 32]> {
    let (pairs, []) = text.as_bytes().as_chunks::<2>() else {
        return None;
    };
    let digit = |byte: u8| {
        char::from(byte)
            .to_digit(16)
            .and_then(|d| u8::try_from(d).ok())
    };
    let bytes: Option<Vec<u8>> = pairs
        .iter()
        .map(|&[high, low]| Some(digit(high)? << 4 | digit(low)?))
        .collect();
    bytes?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The SHA-256 of `secret`.
    const SECRET: &str = "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b";

    #[test]
    fn a_token_is_known_by_its_hash() {
        let file = format!("# ours\n\nacme {SECRET}\n");
        let tokens = Tokens::read(file.as_bytes()).unwrap();
        assert_eq!(tokens.tenant("secret"), Tenant::named("acme"));
        assert_eq!(tokens.tenant("Secret"), None);
        assert_eq!(tokens.tenant(SECRET), None);
        assert_eq!(format!("{tokens:?}"), "Tokens(1)");
    }

    #[test]
    fn a_file_with_faults_is_refused_with_the_line() {
        for (file, told) in [
            (String::new(), "no token"),
            ("acme".to_owned(), "line 1"),
            (SECRET.to_owned(), "line 1"),
            (format!("acme {SECRET} more"), "line 1"),
            (format!("# x\nacme {}", &SECRET[1..]), "line 2"),
            (format!("acme {SECRET}\nother {SECRET}"), "line 2"),
        ] {
            let error = Tokens::read(file.as_bytes()).unwrap_err();
            assert!(error.contains(told), "{file}: {error}");
        }
        assert!(Tokens::read(&[0xff, 0xfe]).is_err());
    }
}
