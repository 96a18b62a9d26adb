//! Ids that make a write safe to repeat.

use crate::Error;

/// Fills in a random id of 32 hexadecimal digits where the caller has given none.
pub(crate) fn fill_in(request_id: &mut String) -> Result<(), Error> {
    if request_id.is_empty() {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).map_err(Error::Random)?;
        *request_id = format!("{:032x}", u128::from_be_bytes(bytes));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_id_is_filled_in_and_each_time_anew() {
        let (mut first, mut second) = (String::new(), String::new());
        fill_in(&mut first).unwrap();
        fill_in(&mut second).unwrap();
        assert_eq!(first.len(), 32);
        assert_ne!(first, second);
    }

    #[test]
    fn the_callers_own_id_is_kept() {
        let mut id = "mine".to_owned();
        fill_in(&mut id).unwrap();
        assert_eq!(id, "mine");
    }
}
