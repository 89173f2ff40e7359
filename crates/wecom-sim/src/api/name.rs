//! The calls that are served, by the last part of their path.

/// One call.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Api {
    /// `gettoken`
    GetToken,
    /// `service/get_corp_token`
    GetCorpToken,
    /// `externalcontact/add_contact_way`
    AddContactWay,
    /// `externalcontact/get_contact_way`
    GetContactWay,
    /// `externalcontact/list_contact_way`
    ListContactWay,
    /// `externalcontact/update_contact_way`
    UpdateContactWay,
    /// `externalcontact/del_contact_way`
    DelContactWay,
    /// `externalcontact/close_temp_chat`
    CloseTempChat,
    /// `externalcontact/get_follow_user_list`
    GetFollowUserList,
    /// `externalcontact/get`
    GetExternalContact,
    /// `externalcontact/batch/get_by_user`
    GetByUser,
    /// `user/get`
    GetUser,
    /// `department/list`
    ListDepartments,
    /// `getcallbackip`
    GetCallbackIp,
}

// === impl Api ===

impl Api {
    /// All of them.
    pub const ALL: [Self; 14] = [
        Self::GetToken,
        Self::GetCorpToken,
        Self::AddContactWay,
        Self::GetContactWay,
        Self::ListContactWay,
        Self::UpdateContactWay,
        Self::DelContactWay,
        Self::CloseTempChat,
        Self::GetFollowUserList,
        Self::GetExternalContact,
        Self::GetByUser,
        Self::GetUser,
        Self::ListDepartments,
        Self::GetCallbackIp,
    ];

    /// Returns the call of this path, such as `/cgi-bin/gettoken`.
    #[must_use]
    pub fn of_path(path: &str) -> Option<Self> {
        let rest = path.strip_prefix("/cgi-bin/")?;
        Self::ALL.into_iter().find(|api| api.path() == rest)
    }

    /// Returns the call of this [name](Self::name), or of this path with `/cgi-bin/` or without.
    #[must_use]
    pub fn of_name(name: &str) -> Option<Self> {
        let path = name.strip_prefix("/cgi-bin/").unwrap_or(name);
        let named = |api: &Self| api.name() == name || api.path() == path;
        Self::ALL.into_iter().find(named)
    }

    /// Returns its path below `/cgi-bin/`.
    #[must_use]
    pub const fn path(self) -> &'static str {
        match self {
            Self::GetToken => "gettoken",
            Self::GetCorpToken => "service/get_corp_token",
            Self::AddContactWay => "externalcontact/add_contact_way",
            Self::GetContactWay => "externalcontact/get_contact_way",
            Self::ListContactWay => "externalcontact/list_contact_way",
            Self::UpdateContactWay => "externalcontact/update_contact_way",
            Self::DelContactWay => "externalcontact/del_contact_way",
            Self::CloseTempChat => "externalcontact/close_temp_chat",
            Self::GetFollowUserList => "externalcontact/get_follow_user_list",
            Self::GetExternalContact => "externalcontact/get",
            Self::GetByUser => "externalcontact/batch/get_by_user",
            Self::GetUser => "user/get",
            Self::ListDepartments => "department/list",
            Self::GetCallbackIp => "getcallbackip",
        }
    }

    /// Returns the name that faults and figures go by: the last part of the path, but for `get` and `list`, which
    /// two calls share and which carry their folder: `externalcontact/get`, `user/get`, `department/list`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::GetCorpToken => "get_corp_token",
            Self::AddContactWay => "add_contact_way",
            Self::GetContactWay => "get_contact_way",
            Self::ListContactWay => "list_contact_way",
            Self::UpdateContactWay => "update_contact_way",
            Self::DelContactWay => "del_contact_way",
            Self::CloseTempChat => "close_temp_chat",
            Self::GetFollowUserList => "get_follow_user_list",
            Self::GetByUser => "batch/get_by_user",
            Self::GetToken
            | Self::GetExternalContact
            | Self::GetUser
            | Self::ListDepartments
            | Self::GetCallbackIp => self.path(),
        }
    }

    /// Whether it is a POST; the others are GETs.
    #[must_use]
    pub const fn is_post(self) -> bool {
        matches!(
            self,
            Self::GetCorpToken
                | Self::AddContactWay
                | Self::GetContactWay
                | Self::ListContactWay
                | Self::UpdateContactWay
                | Self::DelContactWay
                | Self::CloseTempChat
                | Self::GetByUser
        )
    }
}
