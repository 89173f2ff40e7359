//! The rules of single parameters, shared by `add_contact_way` and `update_contact_way`.

use crate::api::parse::{Text, is_longer};

/// The longest `remark` and `state`, in characters.
const LONGEST: usize = 30;

/// The longest life of a temporary code and of its chat, in seconds: 14 days.
const LONGEST_LIFE_S: i64 = 14 * 86_400;

/// The life of a temporary code without `expires_in`, in seconds: 7 days.
pub(super) const LIFE_S: u32 = 7 * 86_400;

/// The life of its chat without `chat_expires_in`, in seconds: 24 hours.
pub(super) const CHAT_LIFE_S: u32 = 86_400;

/// Checks `remark` and `state`.
pub(super) fn texts(remark: Option<&Text<'_>>, state: Option<&Text<'_>>) -> Result<(), i64> {
    if is_longer(remark, LONGEST) || is_longer(state, LONGEST) {
        return Err(40058);
    }
    Ok(())
}

/// Checks `style`, which is there only for scene 1: 1 to 3 for a single member, 1 to 2 for many.
pub(super) fn style(style: Option<i64>, kind: u8, scene: u8) -> Result<u8, i64> {
    let most = if kind == 1 { 3 } else { 2 };
    match style {
        None => Ok(0),
        Some(style) if scene == 1 && (1..=most).contains(&style) => {
            u8::try_from(style).map_err(|_| 41042)
        }
        Some(_) => Err(41042),
    }
}

/// Checks `expires_in` or `chat_expires_in`.
pub(super) fn life(seconds: Option<i64>) -> Result<Option<u32>, i64> {
    match seconds {
        None => Ok(None),
        Some(seconds) if (1..=LONGEST_LIFE_S).contains(&seconds) => {
            u32::try_from(seconds).map(Some).map_err(|_| 40058)
        }
        Some(_) => Err(40058),
    }
}

/// Checks that `party` holds ids at all.
pub(super) fn parties(parties: &[i64]) -> Result<Box<[u32]>, i64> {
    let id = |id: &i64| u32::try_from(*id).ok().filter(|id| *id > 0).ok_or(40066);
    let mut checked: Vec<u32> = Vec::with_capacity(parties.len());
    for party in parties {
        let party = id(party)?;
        if !checked.contains(&party) {
            checked.push(party);
        }
    }
    Ok(checked.into())
}
