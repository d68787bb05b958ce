//! Names in arguments: of columns, and of labels. A name stands as it is; one with a sign that separates stands in double
//! quotes, in which a quote is written twice, as in CSV: `"a,b":1000`.

use std::{borrow::Cow, str::FromStr};

/// A list in an argument, `A,B`, whose pieces are read one by one.
#[derive(Clone, Debug)]
pub struct List<T>(Vec<T>);

impl<T: FromStr<Err = String>> FromStr for List<T> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        split(text, ',')?.into_iter().map(T::from_str).collect::<Result<_, _>>().map(Self)
    }
}

impl<T> List<T> {
    /// What stands in all of them.
    pub fn all(lists: &[Self]) -> Vec<&T> {
        lists.iter().flat_map(|list| &list.0).collect()
    }
}

/// A name in such a list.
#[derive(Clone, Debug)]
pub struct Name(pub String);

impl FromStr for Name {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        name(text).map(Self)
    }
}

/// What separates names from each other and from what is said of them. Behind each a quoted name may begin.
const SIGNS: [char; 8] = [',', ':', '=', '/', '|', '<', '>', '!'];

/// The pieces between signs that stand outside of quotes. They keep their quotes.
pub fn split(text: &str, sign: char) -> Result<Vec<&str>, String> {
    let (mut pieces, mut from) = (Vec::new(), 0);
    for at in places(text, sign)? {
        pieces.push(&text[from..at]);
        from = at + sign.len_utf8();
    }
    pieces.push(&text[from..]);
    Ok(pieces)
}

/// What stands before and behind the last sign outside of quotes, if there is one.
pub fn cut(text: &str, sign: char) -> Result<Option<(&str, &str)>, String> {
    let last = places(text, sign)?.pop();
    Ok(last.map(|at| (&text[..at], &text[at + sign.len_utf8()..])))
}

/// Whether the sign stands outside of quotes.
pub fn has(text: &str, sign: char) -> Result<bool, String> {
    Ok(!places(text, sign)?.is_empty())
}

/// The name that is written so. Blanks around it do not count.
pub fn name(text: &str) -> Result<String, String> {
    let text = text.trim();
    let Some(rest) = text.strip_prefix('"') else {
        return if text.is_empty() { Err("an empty name".into()) } else { Ok(text.to_owned()) };
    };
    let (mut name, mut chars) = (String::with_capacity(rest.len()), rest.chars());
    while let Some(c) = chars.next() {
        match (c, chars.as_str().chars().next()) {
            ('"', Some('"')) => {
                name.push('"');
                chars.next();
            }
            ('"', None) => return Ok(name.trim().to_owned()),
            ('"', Some(_)) => {
                return Err(format!("{text}: behind the name in quotes stands {:?}", chars.as_str()));
            }
            (c, _) => name.push(c),
        }
    }
    Err(unclosed(text))
}

/// The pieces of lists, each `PIECE,...`, which keep their quotes.
pub fn pieces(texts: &[String]) -> Result<Vec<&str>, String> {
    Ok(texts.iter().map(|text| split(text, ',')).collect::<Result<Vec<_>, _>>()?.concat())
}

/// The names of lists, each `NAME,...`.
pub fn names(texts: &[String]) -> Result<Vec<String>, String> {
    pieces(texts)?.into_iter().map(name).collect()
}

/// The name with which a text begins, and what stands behind it from the first of these signs on.
pub fn cut_at_first<'t>(text: &'t str, signs: &[char]) -> Result<Option<(&'t str, &'t str)>, String> {
    let all = signs.iter().map(|&sign| Ok(places(text, sign)?.first().copied()));
    let all = all.collect::<Result<Vec<_>, String>>()?;
    Ok(all.into_iter().flatten().min().map(|at| text.split_at(at)))
}

/// A name as it is read again.
pub fn written(name: &str) -> Cow<'_, str> {
    match name.is_empty() || name.contains(SIGNS) || name.contains('"') {
        true => Cow::Owned(format!("\"{}\"", name.replace('"', "\"\""))),
        false => Cow::Borrowed(name),
    }
}

/// Where the sign stands outside of quotes.
fn places(text: &str, sign: char) -> Result<Vec<usize>, String> {
    let (mut places, mut quoted, mut begins) = (Vec::new(), false, true);
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' if quoted => quoted = chars.next_if(|(_, next)| *next == '"').is_some(),
            '"' if begins => quoted = true,
            c if c == sign && !quoted => places.push(at),
            _ => {}
        }
        begins = !quoted && (SIGNS.contains(&c) || begins && c.is_whitespace());
    }
    if quoted { Err(unclosed(text)) } else { Ok(places) }
}

fn unclosed(text: &str) -> String {
    format!("{text}: a quote without the other; a name with a quote in it stands in quotes, and has it twice")
}

#[cfg(test)]
mod tests {
    use prim::{Block, Prg};

    use super::*;

    #[test]
    fn names_as_they_are_written() {
        for (text, want) in [
            ("a", "a"),
            (" net income ", "net income"),
            ("\"a,b\"", "a,b"),
            (" \"a:b\" ", "a:b"),
            ("\"say \"\"yes\"\"\"", "say \"yes\""),
            ("5\" pipe", "5\" pipe"),
            ("\"\"", ""),
            ("\" a \"", "a"),
        ] {
            assert_eq!(name(text).as_deref(), Ok(want), "{text}");
        }
        for text in ["", " ", "\"a", "\"a\"b", "\"a\"\"", "\"\"\""] {
            assert!(name(text).is_err(), "{text}");
        }
        let list = |text: &str| names(&[text.to_owned()]);
        assert_eq!(list("a,\"b,c\", d"), Ok(["a", "b,c", "d"].map(str::to_owned).to_vec()));
        assert_eq!(names(&["a,b".into(), "c".into()]).unwrap().len(), 3);
        for text in ["a,,b", "a,", "", "a,\"b,c"] {
            assert!(list(text).is_err(), "{text}");
        }
        assert_eq!(cut("a:b:500", ':'), Ok(Some(("a:b", "500"))));
        assert_eq!(cut("\"a:b\"", ':'), Ok(None));
        assert_eq!(split("region:\"a,b\"/c,d", ','), Ok(vec!["region:\"a,b\"/c", "d"]));
    }

    /// Whatever columns are called: lists of them, with what is said behind each, are read as they were written.
    #[test]
    fn names_come_back_as_written() {
        const CHARS: [char; 19] = [
            ',',
            ':',
            '=',
            '/',
            '|',
            '<',
            '>',
            '!',
            '"',
            '"',
            ' ',
            '\'',
            'a',
            'B',
            '7',
            '.',
            '\u{fc}',
            '\\',
            '\u{1f600}',
        ];
        let mut prg = Prg::new(Block(53));
        let mut draw = |below: usize| prg.below(below as u32) as usize;
        for _ in 0..20_000 {
            let mut word = |most: usize| {
                let length = draw(most);
                let word: String = (0..length).map(|_| CHARS[draw(CHARS.len())]).collect();
                word.trim().to_owned()
            };
            let all: Vec<String> = (0..1 + word(4).len().min(3)).map(|_| word(9)).collect();
            let list = all.iter().map(|name| written(name)).collect::<Vec<_>>().join(", ");
            assert_eq!(names(std::slice::from_ref(&list)).as_ref(), Ok(&all), "{list}");
            for sign in [':', '=', '<'] {
                let with = |(i, name): (usize, &String)| format!("{}{sign}{i}", written(name));
                let list = all.iter().enumerate().map(with).collect::<Vec<_>>().join(",");
                let pieces = split(&list, ',').unwrap();
                assert_eq!(pieces.len(), all.len(), "{list}");
                for (i, (piece, want)) in pieces.iter().zip(&all).enumerate() {
                    let (first, behind) = cut(piece, sign).unwrap().unwrap();
                    assert_eq!(
                        (name(first).unwrap(), behind.to_owned()),
                        (want.clone(), i.to_string()),
                        "{list}"
                    );
                }
            }
            // What was not written so is read or refused.
            let text = word(12);
            let _ = (names(std::slice::from_ref(&text)), cut(&text, ':'), split(&text, '|'));
        }
    }
}
