//! What is said of a command: `-h` on one screen, `--help` on two, `hushtable help` and the manual all of it.

use clap::{Arg, Args, Command};
use hushtable_columns::{
    failure::{Failure, Result},
    terminal,
};

const EXAMPLES: &str = "\
Examples:
  hushtable help join
  hushtable help identity new
  hushtable help settings";

/// Print all that there is to know about a command, or a topic
#[derive(Args, Debug)]
#[command(after_help = format!("{}\n{EXAMPLES}", topics()))]
pub struct Help {
    /// A command, or a topic
    #[arg(value_name = "COMMAND|TOPIC")]
    about: Vec<String>,
}

/// What belongs to no command: name, what it is about, text.
const TOPICS: [(&str, &str, &str); 1] =
    [("settings", "options from the environment and from a file", include_str!("topics/settings.txt"))];

/// A line for each topic.
pub fn topics() -> String {
    let line = |(name, about, _): &(&str, &str, &str)| format!("  {name:<12}{about}\n");
    format!("Topics of `hushtable help`:\n{}", TOPICS.iter().map(line).collect::<String>())
}

/// Runs the subcommand; `command` is that of the program.
pub fn run(args: &Help, mut command: Command) -> Result<()> {
    if let [one] = args.about.as_slice()
        && let Some((.., text)) = TOPICS.iter().find(|(name, ..)| name == one)
    {
        return terminal::print(text);
    }
    command.build();
    let mut leaf = &mut command;
    for name in &args.about {
        leaf = leaf.find_subcommand_mut(name).ok_or_else(|| {
            Failure::new(format!("{name:?} is neither a command nor a topic\n{}", topics().trim_end()))
        })?;
    }
    terminal::print(&leaf.render_long_help().to_string())
}

/// Most lines of `--help`.
const LINES: usize = 100;

/// Of these groups, which many commands have, only the options named here are described by `-h` and `--help`.
const SHARED: [(&str, &[&str]); 6] = [
    ("Files of numbers", &[]),
    ("Results", &["reveal", "output", "dry-run"]),
    ("Connection", &["listen", "connect", "identity"]),
    ("Messages", &[]),
    ("Protocols", &[]),
    ("Stored material", &["store"]),
];

/// Groups that are left to `hushtable help` where two screens do not hold them.
const LONG: [&str; 4] = ["Limits", "Circuits", "Comparisons", "Numbers and functions"];

/// What `-h` prints of a command.
pub fn brief(command: &Command) -> String {
    let folded =
        |arg: &Arg| is_shared(arg) || arg.get_help_heading().is_some_and(|group| LONG.contains(&group));
    let brief = fold(command, folded).mut_args(|arg| {
        let line = arg.get_help().map(|help| first_clause(&help.to_string())).unwrap_or_default();
        arg.help(line).hide_possible_values(true).hide_default_value(true)
    });
    let more = format!("`{} --help` says more.", path(command));
    let left = left_out(command, folded);
    brief.after_help(format!("{left}{more}")).render_help().to_string()
}

/// What `--help` prints of it: as many groups of options as two screens hold with an example, and then as many examples.
pub fn two_screens(command: &Command) -> String {
    let examples = examples(command);
    let counts = || (examples.len().min(1)..=examples.len()).rev();
    let ways = (0..=LONG.len()).flat_map(|groups| counts().map(move |count| (groups, count)));
    let shown = |(groups, count): (usize, usize)| without(&LONG[..groups], command, &examples[..count]);
    let fits = |text: &String| text.lines().count() <= LINES;
    ways.map(shown).find(fits).unwrap_or_else(|| shown((LONG.len(), 0)))
}

/// The help of a command that leaves these groups to `hushtable help`, with some of its examples.
fn without(groups: &[&str], command: &Command, examples: &[String]) -> String {
    let folded =
        |arg: &Arg| is_shared(arg) || arg.get_help_heading().is_some_and(|group| groups.contains(&group));
    let after = match path(command).strip_prefix("hushtable ") {
        None => below(command),
        Some(name) => {
            let heading = if examples.is_empty() { ["", ""] } else { ["Examples:\n", "\n"] };
            let left = left_out(command, folded);
            format!(
                "{}{}{}{left}`hushtable help {name}` says all.",
                heading[0],
                examples.concat(),
                heading[1]
            )
        }
    };
    fold(command, folded).after_help(after).render_help().to_string()
}

/// What stands below the options.
fn below(command: &Command) -> String {
    command.get_after_help().map(ToString::to_string).unwrap_or_default()
}

/// The command's name with those of the commands that it is of.
fn path(command: &Command) -> String {
    command.get_bin_name().unwrap_or_else(|| command.get_name()).to_owned()
}

fn is_shared(arg: &Arg) -> bool {
    let group = SHARED.iter().find(|(name, _)| arg.get_help_heading() == Some(name));
    group.is_some_and(|(_, shown)| arg.get_long().is_none_or(|long| !shown.contains(&long)))
}

/// The command without what is said of some options.
fn fold(command: &Command, folded: impl Fn(&Arg) -> bool) -> Command {
    command.clone().mut_args(|arg| if folded(&arg) { arg.hide(true) } else { arg })
}

/// The names of options that are not described, by their groups.
fn left_out(command: &Command, folded: impl Fn(&Arg) -> bool) -> String {
    let mut groups: Vec<(&str, Vec<String>)> = Vec::new();
    for arg in command.get_arguments().filter(|arg| folded(arg) && !arg.is_hide_set()) {
        let (group, name) =
            (arg.get_help_heading().unwrap_or_default(), format!("--{}", arg.get_long().unwrap_or_default()));
        match groups.iter_mut().find(|(known, _)| *known == group) {
            Some((_, names)) => names.push(name),
            None => groups.push((group, vec![name])),
        }
    }
    if groups.is_empty() {
        return String::new();
    }
    let lines = groups.iter().map(|(group, names)| format!("  {group}: {}\n", names.join(" ")));
    format!("More options:\n{}\n", lines.collect::<String>())
}

/// The examples of a command, each group of lines under the line that says what it is for.
fn examples(command: &Command) -> Vec<String> {
    let after = below(command);
    let Some((_, examples)) = after.split_once("Examples:\n") else { return vec![] };
    let mut groups: Vec<String> = Vec::new();
    let mut titled = false;
    for line in examples.lines().take_while(|line| !line.trim().is_empty()) {
        let is_title = !line.trim_start().starts_with("hushtable ")
            && line.starts_with("  ")
            && !line.starts_with("    ");
        if groups.is_empty() || is_title || (!titled && line.starts_with("  hushtable ")) {
            groups.push(String::new());
        }
        titled |= is_title;
        let group = groups.last_mut().expect("one");
        *group += line;
        group.push('\n');
    }
    groups
}

/// What stands before the first semicolon or full stop between words, in a line.
fn first_clause(text: &str) -> String {
    let ends = ["; ", ". ", " ["].into_iter().filter_map(|end| text.find(end));
    let clause = &text[..ends.min().unwrap_or(text.len())];
    match clause.char_indices().nth(66) {
        None => clause.to_owned(),
        Some((most, _)) => format!("{} ...", &clause[..clause[..most].rfind(' ').unwrap_or(most)]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clause_is_a_line() {
        assert_eq!(first_clause("The file; or another"), "The file");
        assert_eq!(first_clause("A file of 2.5 bytes [default: x]"), "A file of 2.5 bytes");
        let long = first_clause(&"\u{e4}word ".repeat(40));
        assert!(long.ends_with(" ...") && long.chars().count() <= 70, "{long}");
    }
}
