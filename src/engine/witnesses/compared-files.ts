/** How a command uses a file: to compare something with it, as an input, or as the work that is examined. */
export type Use = 'compared' | 'read' | 'examined'

/** Reports whether commands compare files with something, so that the files decide which result is right. */
export function comparesIn(text: string, tokens: readonly string[]): boolean {
  if (tokens.some((token) => comparing.has(token))) return true
  if (tokens.some((token) => /sum$|^cksum$|^minisign$|^gpg$/.test(token)) && /\s-(?:c|-check|-verify)\b/.test(text))
    return true
  // A test of one output against another.
  return (text.match(/\$\(|`[^`]+`/g)?.length ?? 0) > 1
}

const comparing = new Set(['diff', 'cmp', 'comm', 'sdiff', 'colordiff', 'git-diff', 'dyff', 'jd'])

/**
 * Returns the words that commands start, examine or write: the file behind them is the work itself. `grep hello a.txt` says
 * what a.txt must contain, while `node app.js < a.txt` may pass because of it.
 */
export function examinedIn(text: string): ReadonlySet<string> {
  const words = new Set<string>()
  for (const [, target = ''] of text.matchAll(/>>?\s*([^\s;&|()<>]+)/g)) words.add(bare(target))
  for (const command of text.split(/[;&|()\n`]+/)) {
    const [program = '', ...rest] = command
      .trim()
      .split(/\s+/)
      .map(bare)
      .filter((word) => !isPrefix(word))
    words.add(program)
    if (interpreters.has(program)) {
      const script = rest.find((word) => !word.startsWith('-'))
      if (script !== undefined) words.add(script)
    }
    // A file of patterns decides which lines are found.
    const hasPatterns = rest.some((word) => /^-\w*f$|^--file/.test(word))
    if (!examiners.has(program) || (hasPatterns && /grep|^rg$/.test(program))) continue
    for (const word of rest) words.add(word)
  }
  return words
}

const bare = (word: string): string => word.replace(/^["'@{$]+|["'}]+$/g, '')
const isPrefix = (word: string): boolean => /^\w+=/.test(word) || prefixes.has(word)
const prefixes = new Set(['', '!', 'if', 'then', 'while', 'until', 'do', 'not', 'sudo', 'time', 'npx', 'command'])

const interpreters = new Set(['node', 'python', 'python3', 'ruby', 'perl', 'php', 'deno', 'bun', 'tsx', 'ts-node'])

const examiners = new Set(
  `grep egrep fgrep rg ag test [ [[ wc ls stat file jq yq head tail cat xmllint yamllint jsonlint ajv touch rm cp mv mkdir
  chmod sort uniq cut awk sed find od xxd hexdump shellcheck hadolint markdownlint prettier docker docker-compose
  kubectl helm terraform nginx psql sqlite3 git cd pushd xmlstarlet csvlint html-validate stylelint actionlint`.split(
    /\s+/,
  ),
)
