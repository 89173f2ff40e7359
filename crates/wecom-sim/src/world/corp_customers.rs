//! An enterprise's customers as they look and are changed from outside the calls.

use super::{Corp, Mistake, NewRelation, Page, Relation, Row, State, corp_members::check_id};

impl Corp {
    /// Adds a customer to a member; again: the new row replaces the old one.
    ///
    /// # Errors
    ///
    /// If the member is not there, or the `external_userid` is empty or longer than 64 bytes.
    pub fn add_relation(&self, relation: NewRelation<'_>) -> Result<(), Mistake> {
        check_id("external_userid", relation.external_userid)?;
        let mut state = self.state();
        let member = state.members.number(relation.userid);
        let member = member.ok_or_else(|| Mistake("userid: there is no such member".into()))?;
        let row = Row::new(
            relation.external_userid,
            member,
            relation.state,
            relation.add_way,
            relation.createtime,
        );
        if state.contacts.add(row) {
            return Ok(());
        }
        Err(Mistake("there were 2^32 customers already".into()))
    }

    /// Removes a customer from a member; the reads tell of it for `read_lag_s` more. Returns whether it was there.
    pub fn remove_relation(&self, external_userid: &str, userid: &str) -> bool {
        let lag = self.shared().settings().contact_ways.read_lag_s;
        let now = self.shared().now_ns();
        let told_until = now.saturating_add(lag.saturating_mul(1_000_000_000));
        let mut state = self.state();
        let Some(member) = state.members.number(userid) else {
            return false;
        };
        let removed = state.contacts.remove(external_userid, member, told_until);
        state.contacts.settle(now);
        removed
    }

    /// Returns all customers of all members, oldest first, without removed ones.
    #[must_use]
    pub fn relations(&self) -> Vec<Relation> {
        self.relations_from(0, Page::<Relation>::ALL).items
    }

    /// Returns at most `limit` customers of all members from a place on, oldest first, without removed ones; 0 is the
    /// place of the first one.
    #[must_use]
    pub fn relations_from(&self, from: u32, limit: usize) -> Page<Relation> {
        self.page(from, limit, State::contact_rows, |state, _, row| {
            view(state, row)
        })
    }

    /// Returns how many customers all members have, without removed ones.
    #[must_use]
    pub fn relation_count(&self) -> usize {
        self.state().contacts.count()
    }
}

/// Returns a row as it is told; `None` if it was removed.
fn view(state: &State, row: &Row) -> Option<Relation> {
    if !row.is_there() {
        return None;
    }
    Some(Relation {
        external_userid: row.customer.to_string(),
        userid: state.members.get(row.member)?.userid.to_string(),
        state: row.state.to_string(),
        add_way: row.add_way,
        createtime: row.createtime,
    })
}
