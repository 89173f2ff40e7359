//! An enterprise's codes as they look and are changed from outside the calls.

use super::{
    Code, CodeSeed, CodeView, Corp, Mistake, Page, State,
    hold::{self, PIECE},
    unknown::Unknown,
};

/// The most members and departments of a code that is loaded or edited from outside; a call is let have 100.
pub const MOST_ON_CODE: usize = 1000;

impl Corp {
    /// Returns a code; `None` if there is none of this `config_id`, or it was deleted.
    #[must_use]
    pub fn code(&self, config_id: &str) -> Option<CodeView> {
        let index = self.code_index(config_id)?;
        let state = self.state();
        let code = state.codes.get(index)?;
        Some(CodeView {
            config_id: config_id.into(),
            kind: code.kind,
            scene: code.scene,
            state: code.state.to_string(),
            remark: code.remark.to_string(),
            skip_verify: code.skip_verify,
            is_exclusive: code.is_exclusive,
            created_s: u64::from(code.created_s),
            ends_s: code.ends_s(),
            users: state.userids(&code.users),
            parties: code.parties.to_vec(),
        })
    }

    /// Returns at most `limit` `config_id`s of the codes that are there from a place on, oldest first; 0 is the place of
    /// the first one.
    #[must_use]
    pub fn config_ids_from(&self, from: u32, limit: usize) -> Page<String> {
        self.page(from, limit, State::code_rows, |_, index, code| {
            (!code.deleted).then(|| self.config_id(index))
        })
    }

    /// Returns how many codes there are, temporary ones too, without deleted ones.
    #[must_use]
    pub fn code_count(&self) -> usize {
        self.state().codes.count()
    }

    /// Returns the userids among whom WeCom chooses now when this code is scanned: its `user` list as set, whatever
    /// became of them since, and those members of its departments who could be named on a code or are merely full
    /// or disabled. `None` as for [`code`](Self::code), and for a temporary code that ended.
    #[must_use]
    pub fn scan_targets(&self, config_id: &str) -> Option<Vec<String>> {
        let mut targets = self.targets(config_id)?;
        while !targets.walk(self) {}
        Some(targets.userids(self, usize::MAX))
    }

    /// Loads codes without calls and unchecked by limits; returns their `config_id`s in this order.
    ///
    /// # Errors
    ///
    /// If one names a member or department that is not there or more than [`MOST_ON_CODE`], or there would be 2^32;
    /// nothing is loaded then.
    pub fn add_codes(&self, codes: &[CodeSeed<'_>]) -> Result<Vec<String>, Mistake> {
        let now_s = self.shared().now_s();
        let mut made = Vec::with_capacity(codes.len());
        for piece in codes.chunks(PIECE) {
            let state = self.state();
            for seed in piece {
                hold::touch();
                let place = made.len();
                let code = state.code(seed, now_s);
                let told = |Mistake(told)| Mistake(format!("codes[{place}].{told}"));
                made.push(code.map_err(told)?);
            }
        }
        let indexes = self.state().codes.add_all(made);
        let indexes = indexes.ok_or_else(|| Mistake("codes: there would be 2^32".into()))?;
        Ok(indexes.map(|index| self.config_id(index)).collect())
    }

    /// Deletes a code from outside, as an administrator; returns whether it was there.
    pub fn delete_code(&self, config_id: &str) -> bool {
        let index = self.code_index(config_id);
        index.is_some_and(|index| self.state().codes.delete(index))
    }

    /// Sets a code's `user` list from outside, unchecked; `party` too, if given.
    ///
    /// # Errors
    ///
    /// If there is no such code, a member or department is not there, or there are more than [`MOST_ON_CODE`];
    /// nothing is changed then.
    pub fn edit_code(
        &self,
        config_id: &str,
        users: &[&str],
        parties: Option<&[u32]>,
    ) -> Result<(), Mistake> {
        let none = || Mistake("config_id: there is no such code".into());
        let index = self.code_index(config_id).ok_or_else(none)?;
        let mut state = self.state();
        let users = state.numbers(users)?;
        let parties = match parties {
            Some(parties) => Some(state.parties(parties)?),
            None => None,
        };
        let code = state.codes.get_mut(index).ok_or_else(none)?;
        code.users = users;
        if let Some(parties) = parties {
            code.parties = parties;
        }
        Ok(())
    }

    /// Returns the index that this is the `config_id` of, whether or not there is or was such a code.
    pub(crate) fn code_index(&self, config_id: &str) -> Option<u32> {
        let (number, index) = self.shared().names.codes.numbers(config_id)?;
        (number == self.number()).then_some(index)
    }

    /// Returns the address of the picture of the code of this index.
    pub(crate) fn qr_code(&self, index: u32) -> String {
        let name = self.shared().names.qr_codes.text(self.number(), index);
        format!("https://open.work.weixin.qq.com/wwopen/userQRCode?vcode=vc{name}")
    }

    pub(crate) fn config_id(&self, index: u32) -> String {
        self.shared().names.codes.text(self.number(), index)
    }
}

// === impl State ===

impl State {
    /// Returns the userids of these members, also of those that left.
    pub(crate) fn userids(&self, numbers: &[u32]) -> Vec<String> {
        let rows = numbers
            .iter()
            .inspect(|_| hold::touch())
            .filter_map(|number| self.members.get(*number));
        rows.map(|row| row.userid.to_string()).collect()
    }

    fn code(&self, seed: &CodeSeed<'_>, now_s: u64) -> Result<Code, Mistake> {
        Ok(Code {
            users: self.numbers(seed.users)?,
            parties: self.parties(seed.parties)?,
            state: seed.state.into(),
            ..Code::new(seed.created_s.unwrap_or(now_s))
        })
    }

    fn numbers(&self, userids: &[&str]) -> Result<Box<[u32]>, Mistake> {
        few("users", userids.len())?;
        let mut unknown = Unknown::default();
        let mut numbers = Vec::with_capacity(userids.len());
        for userid in userids {
            match self.members.number(userid) {
                Some(number) => numbers.push(number),
                None => unknown.add(userid),
            }
        }
        unknown.none_or("users", "members of the enterprise", numbers.into())
    }

    fn parties(&self, ids: &[u32]) -> Result<Box<[u32]>, Mistake> {
        few("parties", ids.len())?;
        let known = self.known_departments(ids);
        known.map_err(|Mistake(told)| Mistake(format!("parties: {told}")))
    }

    pub(crate) fn known_departments(&self, ids: &[u32]) -> Result<Box<[u32]>, Mistake> {
        for id in ids {
            if !self.departments.has(*id) {
                return Err(Mistake(format!("department {id}: is not there")));
            }
        }
        Ok(ids.into())
    }
}

/// Says that there are more on a code than a read should show in one piece.
fn few(name: &str, count: usize) -> Result<(), Mistake> {
    if count <= MOST_ON_CODE {
        return Ok(());
    }
    Err(Mistake(format!(
        "{name}: {count} of them, expected at most {MOST_ON_CODE}"
    )))
}
