//! What the house's own lexer knows of each common language. Others go to the big highlighter, which costs megabytes
//! and tens of milliseconds for each language it meets.

/// A way to write a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quote {
    pub open: &'static str,
    pub close: &'static str,
    /// It may go on in the next line.
    pub multi: bool,
    /// A backslash takes the next character with it.
    pub escapes: bool,
}

const fn quote(open: &'static str, multi: bool) -> Quote {
    Quote { open, close: open, multi, escapes: true }
}

const fn raw(open: &'static str, close: &'static str) -> Quote {
    Quote { open, close, multi: true, escapes: false }
}

/// What is special about a language beside its words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    /// Names that begin with a capital are types, as everywhere but where `Plain`.
    Code,
    /// No types by capitals.
    Plain,
    /// `'` begins a lifetime as well as a character; `name!` is a macro.
    Rust,
    /// A comment begins only at a word's start; the first word of a command is its name; `$` takes a word along.
    Shell,
    /// What stands before a colon or an equals sign is a key.
    Keys,
    /// Lines are added, removed or neither.
    Diff,
}

#[derive(Debug)]
pub struct Language {
    pub names: &'static [&'static str],
    pub manner: Manner,
    pub line: &'static [&'static str],
    pub block: Option<(&'static str, &'static str)>,
    /// The longer openings first.
    pub quotes: &'static [Quote],
    pub keywords: &'static str,
    pub types: &'static str,
    /// Regardless of case.
    pub caseless: bool,
}

const C: Option<(&str, &str)> = Some(("/*", "*/"));
const BOTH: &[Quote] = &[quote("\"", false), quote("'", false)];
const NO: Language = Language {
    names: &[],
    manner: Manner::Code,
    line: &["//"],
    block: C,
    quotes: BOTH,
    keywords: "",
    types: "",
    caseless: false,
};

pub const CONSTANTS: &str = "true false null nil None True False undefined NaN nullptr NULL";

pub const LANGUAGES: &[Language] = &[
    Language {
        names: &["rust", "rs"],
        manner: Manner::Rust,
        quotes: &[raw("r##\"", "\"##"), raw("r#\"", "\"#"), raw("r\"", "\""), quote("\"", true)],
        keywords: "as async await break const continue crate dyn else enum extern fn for if impl in let loop match mod move \
                   mut pub ref return self static struct super trait type union unsafe use where while yield macro_rules",
        types: "bool char f32 f64 i8 i16 i32 i64 i128 isize str u8 u16 u32 u64 u128 usize Self",
        ..NO
    },
    Language {
        names: &["python", "py", "pyi"],
        line: &["#"],
        block: None,
        quotes: &[quote("\"\"\"", true), quote("'''", true), quote("\"", false), quote("'", false)],
        keywords: "and as assert async await break case class continue def del elif else except finally for from global if \
                   import in is lambda match nonlocal not or pass raise return self try while with yield",
        types: "int str float bool list dict set tuple bytes object",
        ..NO
    },
    Language {
        names: &["js", "javascript", "ts", "typescript", "tsx"],
        quotes: &[quote("`", true), quote("\"", false), quote("'", false)],
        keywords: "abstract as async await break case catch class const continue debugger declare default delete do else enum \
                   export extends finally for from function get if implements import in instanceof interface keyof let \
                   namespace new of private protected public readonly return satisfies set static super switch this throw \
                   try type typeof var void while with yield",
        types: "any bigint boolean never number object string symbol unknown",
        ..NO
    },
    Language {
        names: &["go"],
        quotes: &[raw("`", "`"), quote("\"", false), quote("'", false)],
        keywords: "break case chan const continue default defer else fallthrough for func go goto if import interface map \
                   package range return select struct switch type var iota",
        types: "any bool byte complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string uint uint8 \
                uint16 uint32 uint64 uintptr",
        ..NO
    },
    Language {
        names: &[
            "c", "h", "cpp", "c++", "cc", "hpp", "java", "cs", "kotlin", "kts", "swift", "dart", "scala",
            "zig", "php",
        ],
        quotes: &[quote("\"\"\"", true), quote("\"", false), quote("'", false)],
        keywords: "abstract actor alignas as async auto await base break case catch class companion const constexpr continue \
                   data default defer delete do echo else enum explicit export extends extension extern final finally fn for \
                   foreach friend fun func function goto guard if implements import in include init inline inout instanceof \
                   interface internal is let lock long mutable namespace native new noexcept object operator out override \
                   package private protected protocol public readonly record ref register require return sealed self short \
                   signed sizeof static static_cast struct super suspend switch synchronized template this throw throws trait \
                   try typealias typedef typename union unsigned use using val var virtual volatile when where while yield",
        types: "bool boolean byte char double float int int8_t int16_t int32_t int64_t long short size_t ssize_t string u8 \
                u16 u32 u64 uint8_t uint16_t uint32_t uint64_t usize void wchar_t",
        ..NO
    },
    Language {
        names: &["sh", "bash", "zsh", "ksh"],
        manner: Manner::Shell,
        line: &["#"],
        block: None,
        quotes: &[quote("\"", true), raw("'", "'"), quote("`", true)],
        keywords: "case do done elif else esac export fi for function if in local readonly return select set shift source \
                   then trap unset until while",
        types: "",
        ..NO
    },
    Language { names: &["json"], manner: Manner::Keys, quotes: &[quote("\"", false)], ..NO },
    Language { names: &["yaml", "yml"], manner: Manner::Keys, line: &["#"], block: None, ..NO },
    Language {
        names: &["toml", "ini", "cfg", "conf", "properties"],
        manner: Manner::Keys,
        line: &["#", ";"],
        block: None,
        quotes: &[quote("\"\"\"", true), raw("'''", "'''"), quote("\"", false), raw("'", "'")],
        ..NO
    },
    Language {
        names: &["sql"],
        manner: Manner::Plain,
        line: &["--"],
        quotes: &[quote("'", true), quote("\"", false)],
        keywords: "add all alter and as asc begin between by case check column commit constraint create cross default delete \
                   desc distinct drop else end exists foreign from full group having if in index inner insert into is join key \
                   left like limit not offset on or order outer primary references returning right rollback select set table \
                   then transaction trigger union unique update using values view when where with",
        types: "bigint blob boolean char date decimal double float int integer jsonb json numeric real serial smallint text \
                timestamp uuid varchar",
        caseless: true,
        ..NO
    },
    Language {
        names: &["lua"],
        line: &["--"],
        block: Some(("--[[", "]]")),
        quotes: &[raw("[[", "]]"), quote("\"", false), quote("'", false)],
        keywords: "and break do else elseif end for function goto if in local not or repeat return then until while",
        ..NO
    },
    Language {
        names: &["ruby", "rb", "elixir", "ex", "exs"],
        line: &["#"],
        block: None,
        quotes: &[quote("\"\"\"", true), quote("\"", true), quote("'", false), quote("`", false)],
        keywords: "alias and begin break case class cond def defmodule defp defstruct do else elsif end ensure fn for if import \
                   in include module next not or private raise redo require rescue retry return self super then undef unless \
                   until use when while with yield",
        ..NO
    },
    Language { names: &["diff"], manner: Manner::Diff, ..NO },
];

/// The language of that name, in the spelling of `scopes::language`.
pub fn find(name: &str) -> Option<&'static Language> {
    LANGUAGES.iter().find(|language| language.names.contains(&name))
}
