//! The words that end a temporary chat.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::api::parse::Text;

/// `conclusions`, as it comes.
#[derive(Debug, Deserialize)]
pub(super) struct Conclusions<'a> {
    #[serde(borrow)]
    text: Option<Words<'a>>,
    #[serde(borrow)]
    image: Option<Image<'a>>,
    #[serde(borrow)]
    link: Option<Link<'a>>,
    #[serde(borrow)]
    miniprogram: Option<MiniProgram<'a>>,
}

#[derive(Debug, Deserialize)]
struct Words<'a> {
    #[serde(borrow)]
    content: Option<Text<'a>>,
}

#[derive(Debug, Deserialize)]
struct Image<'a> {
    #[serde(borrow)]
    media_id: Option<Text<'a>>,
}

#[derive(Debug, Deserialize)]
struct Link<'a> {
    #[serde(borrow)]
    title: Option<Text<'a>>,
    #[serde(borrow)]
    picurl: Option<Text<'a>>,
    #[serde(borrow)]
    desc: Option<Text<'a>>,
    #[serde(borrow)]
    url: Option<Text<'a>>,
}

#[derive(Debug, Deserialize)]
struct MiniProgram<'a> {
    #[serde(borrow)]
    title: Option<Text<'a>>,
    #[serde(borrow)]
    pic_media_id: Option<Text<'a>>,
    #[serde(borrow)]
    appid: Option<Text<'a>>,
    #[serde(borrow)]
    page: Option<Text<'a>>,
}

/// The longest texts, in bytes.
const CONTENT: usize = 4000;
const LINK_TITLE: usize = 128;
const LINK_DESC: usize = 512;
const MINI_TITLE: usize = 64;
/// For addresses and ids, which have no documented limit.
const OTHER: usize = 2048;

// === impl Conclusions ===

impl Conclusions<'_> {
    /// Returns them as replies hold them: the text with one of the rest, image before link before mini-program; an
    /// image by its address, for its `media_id` does not come back.
    ///
    /// # Errors
    ///
    /// 40063 if a part lacks something, 40058 if a text is too long.
    pub(super) fn checked(&self) -> Result<Value, i64> {
        let mut all = serde_json::Map::new();
        if let Some(text) = &self.text {
            all.insert(
                "text".into(),
                json!({"content": due(text.content.as_ref(), CONTENT)?}),
            );
        }
        let image = self.image.as_ref().map(Image::checked).transpose()?;
        let link = self.link.as_ref().map(Link::checked).transpose()?;
        let mini = self
            .miniprogram
            .as_ref()
            .map(MiniProgram::checked)
            .transpose()?;
        if let Some(image) = image {
            all.insert("image".into(), image);
        } else if let Some(link) = link {
            all.insert("link".into(), link);
        } else if let Some(mini) = mini {
            all.insert("miniprogram".into(), mini);
        }
        Ok(Value::Object(all))
    }
}

// === impl Image ===

impl Image<'_> {
    fn checked(&self) -> Result<Value, i64> {
        let media_id = due(self.media_id.as_ref(), OTHER)?;
        let picture = blake3::hash(media_id.as_bytes()).to_hex();
        Ok(json!({"pic_url": format!("https://p.qpic.cn/pic_wework/{picture}/0")}))
    }
}

// === impl Link ===

impl Link<'_> {
    fn checked(&self) -> Result<Value, i64> {
        Ok(json!({
            "title": due(self.title.as_ref(), LINK_TITLE)?,
            "picurl": within(self.picurl.as_ref(), OTHER)?,
            "desc": within(self.desc.as_ref(), LINK_DESC)?,
            "url": due(self.url.as_ref(), OTHER)?,
        }))
    }
}

// === impl MiniProgram ===

impl MiniProgram<'_> {
    fn checked(&self) -> Result<Value, i64> {
        // As with an image, the picture does not come back.
        due(self.pic_media_id.as_ref(), OTHER)?;
        Ok(json!({
            "title": due(self.title.as_ref(), MINI_TITLE)?,
            "appid": due(self.appid.as_ref(), OTHER)?,
            "page": due(self.page.as_ref(), OTHER)?,
        }))
    }
}

fn due<'a>(text: Option<&'a Text<'_>>, longest: usize) -> Result<&'a str, i64> {
    match within(text, longest)? {
        "" => Err(40063),
        text => Ok(text),
    }
}

fn within<'a>(text: Option<&'a Text<'_>>, longest: usize) -> Result<&'a str, i64> {
    let text = text.map_or("", Text::as_str);
    if text.len() > longest {
        Err(40058)
    } else {
        Ok(text)
    }
}
