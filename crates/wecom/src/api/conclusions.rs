//! What a customer is told at the end of a temporary chat.
//!
//! A text, an attachment, or both. WeCom takes one attachment alone, an image before a link before a
//! mini-program; two of them cannot be expressed here.

use serde::Serialize;

use super::text::bytes;
use crate::error::Invalid;

/// Closing words: a text, an attachment, or both.
#[derive(Clone, Debug, Eq, Hash, PartialEq, Serialize)]
pub struct Conclusions {
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<Text>,
    #[serde(flatten)]
    attachment: Option<Attachment>,
}

/// What goes with the text.
#[derive(Clone, Debug, Eq, Hash, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Attachment {
    /// A picture.
    Image(Image),
    /// A web page.
    Link(Link),
    /// A page of a mini-program.
    MiniProgram(MiniProgram),
}

/// A picture that was uploaded before. A reply has its address instead, and cannot be sent back.
#[derive(Clone, Debug, Eq, Hash, PartialEq, Serialize)]
pub struct Image {
    media_id: Box<str>,
}

/// A web page, with a title and maybe a picture and a description.
#[derive(Clone, Debug, Eq, Hash, PartialEq, Serialize)]
pub struct Link {
    title: Box<str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    picurl: Option<Box<str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    desc: Option<Box<str>>,
    url: Box<str>,
}

/// A page of a mini-program that is bound to the enterprise.
#[derive(Clone, Debug, Eq, Hash, PartialEq, Serialize)]
pub struct MiniProgram {
    title: Box<str>,
    pic_media_id: Box<str>,
    appid: Box<str>,
    page: Box<str>,
}

#[derive(Clone, Debug, Eq, Hash, PartialEq, Serialize)]
struct Text {
    content: Box<str>,
}

// === impl Conclusions ===

impl Conclusions {
    /// Returns closing words of this text.
    ///
    /// # Errors
    ///
    /// If it is empty, longer than 4000 bytes, or has a control character that is no line end and no tabulator.
    pub fn text(content: impl Into<String>) -> Result<Self, Invalid> {
        let content = bytes(
            "conclusions.text.content",
            content.into(),
            4000,
            "1 to 4000 bytes",
        )?;
        Ok(Self {
            text: Some(Text { content }),
            attachment: None,
        })
    }

    /// Returns closing words of this attachment alone.
    #[must_use]
    pub const fn attachment(attachment: Attachment) -> Self {
        Self {
            text: None,
            attachment: Some(attachment),
        }
    }

    /// Returns the same text with this attachment, in place of one that was there.
    #[must_use]
    pub fn and(self, attachment: Attachment) -> Self {
        Self {
            attachment: Some(attachment),
            ..self
        }
    }
}

// === impl Attachment ===

impl From<Image> for Attachment {
    fn from(image: Image) -> Self {
        Self::Image(image)
    }
}

impl From<Link> for Attachment {
    fn from(link: Link) -> Self {
        Self::Link(link)
    }
}

impl From<MiniProgram> for Attachment {
    fn from(program: MiniProgram) -> Self {
        Self::MiniProgram(program)
    }
}

// === impl Image ===

impl Image {
    /// Returns the picture with this id.
    ///
    /// # Errors
    ///
    /// If the id is empty, longer than 512 bytes (no limit is documented), or has a control character.
    pub fn new(media_id: impl Into<String>) -> Result<Self, Invalid> {
        let media_id = token("conclusions.image.media_id", media_id)?;
        Ok(Self { media_id })
    }
}

// === impl Link ===

impl Link {
    /// Returns a link to `url` with this title.
    ///
    /// # Errors
    ///
    /// If the title is empty or longer than 128 bytes, or the address is empty or longer than 2048 bytes (no
    /// limit is documented).
    pub fn new(title: impl Into<String>, url: impl Into<String>) -> Result<Self, Invalid> {
        let title = bytes(
            "conclusions.link.title",
            title.into(),
            128,
            "1 to 128 bytes",
        )?;
        let url = address("conclusions.link.url", url)?;
        Ok(Self {
            title,
            picurl: None,
            desc: None,
            url,
        })
    }

    /// Sets the address of a picture.
    ///
    /// # Errors
    ///
    /// If it is empty or longer than 2048 bytes (no limit is documented).
    pub fn picurl(mut self, picurl: impl Into<String>) -> Result<Self, Invalid> {
        self.picurl = Some(address("conclusions.link.picurl", picurl)?);
        Ok(self)
    }

    /// Sets the description.
    ///
    /// # Errors
    ///
    /// If it is empty or longer than 512 bytes.
    pub fn desc(mut self, desc: impl Into<String>) -> Result<Self, Invalid> {
        self.desc = Some(bytes(
            "conclusions.link.desc",
            desc.into(),
            512,
            "1 to 512 bytes",
        )?);
        Ok(self)
    }
}

// === impl MiniProgram ===

impl MiniProgram {
    /// Returns the page `page` of the mini-program `appid`, with a title and a picture uploaded before.
    ///
    /// # Errors
    ///
    /// If the title is empty or longer than 64 bytes, or another one empty or longer than 512 bytes (2048 for
    /// the page; no limits are documented).
    pub fn new(
        title: impl Into<String>,
        pic_media_id: impl Into<String>,
        appid: impl Into<String>,
        page: impl Into<String>,
    ) -> Result<Self, Invalid> {
        Ok(Self {
            title: bytes(
                "conclusions.miniprogram.title",
                title.into(),
                64,
                "1 to 64 bytes",
            )?,
            pic_media_id: token("conclusions.miniprogram.pic_media_id", pic_media_id)?,
            appid: token("conclusions.miniprogram.appid", appid)?,
            page: address("conclusions.miniprogram.page", page)?,
        })
    }
}

fn token(field: &'static str, text: impl Into<String>) -> Result<Box<str>, Invalid> {
    bytes(field, text.into(), 512, "1 to 512 bytes")
}

fn address(field: &'static str, text: impl Into<String>) -> Result<Box<str>, Invalid> {
    bytes(field, text.into(), 2048, "1 to 2048 bytes")
}
