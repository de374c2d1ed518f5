/** The position of a value that is assigned to something called a password. */
export interface SecretRange {
  readonly start: number
  readonly end: number
}

export interface SearchOptions {
  /** In code a literal is quoted, so a value without quotes is the name of something else. */
  readonly quotedOnly?: boolean
}

/**
 * Finds `password = "…"`, `DB_PASSWORD=…`, `"api_key": "…"` with a plausible value. Ignores references that only name
 * the source of the value (`os.environ[…]`, `${DB_PASSWORD}`), obvious placeholders (`changeme`, `<password>`, `xxx`),
 * and prose. Every pattern is bounded, so the time depends on the length of the text alone.
 */
export function assignedSecrets(text: string, { quotedOnly = false }: SearchOptions = {}): SecretRange[] {
  if (!mentioned.test(text)) return []
  const found: SecretRange[] = []
  assignment.lastIndex = 0
  for (let match = assignment.exec(text); match !== null; match = assignment.exec(text)) {
    const [whole, name = '', operator = ''] = match
    const from = match.index + whole.length
    const value = quotedValue(text, from) ?? (quotedOnly ? null : bareValue(text, from, /\s$/.test(whole)))
    if (value === null || !isPlausible(value, name, operator)) continue
    found.push({ start: value.start, end: value.start + value.text.length })
    assignment.lastIndex = value.start + value.text.length
  }
  return found
}

/** Reports whether a value counts as a secret because of the name of its field. */
export function isAssignedSecret(name: string, value: string): boolean {
  const [, word = ''] = mentioned.test(name) ? (named.exec(name) ?? []) : []
  return word !== '' && value.length <= maxValue && isPlausible({ start: 0, text: value, isQuoted: true }, word, ':')
}

const mentioned = /passw|passphrase|pwd|secret|(?:api|encryption|signing|master|access)[_-]?key|token/i

const words =
  'passw(?:or)?d|passphrase|pwd|(?:secret|encryption|signing|master)[_-]?key(?:[_-]?base)?|secret|api[_-]?key|access[_-]?key|' +
  // The name of a variable; `token` alone has many meanings.
  '(?:access|auth|api|refresh|bot|session)[_-]?token|(?-i:[A-Z0-9]_TOKEN)'

const named = new RegExp(`(${words})(?:_?\\d{1,3})?$`, 'i')

/** A longer name (`password_hash`, `secretName`, `tokenLimit`) describes the secret and is not the secret itself. */
const assignment = new RegExp(
  `(${words})` +
    String.raw`(?:_?\d{1,3})?(?:\\{0,3}["'\x60])?\]?(?:[ \t]{0,8}:[ \t]{0,8}[A-Za-z]{1,20})?[ \t]{0,8}(:=|=>|[:=])(?![=>])[ \t]{0,8}`,
  'gi',
)

interface Value {
  readonly start: number
  readonly text: string
  readonly isQuoted: boolean
}

const maxValue = 500

function quotedValue(text: string, from: number): Value | null {
  // Prefixes of Python and C#: r"…", b'…', @"…".
  const at = /^[rbu@]{1,2}["']/i.test(text.slice(from, from + 3))
    ? from + text.slice(from, from + 3).search(/["']/)
    : from
  // Within JSON that is itself a string, the quotes are escaped.
  const [quote] = /^\\{0,3}["'`]/.exec(text.slice(at, at + 4)) ?? []
  if (quote === undefined) return null
  const start = at + quote.length
  const end = text.indexOf(quote, start)
  const inside = end < 0 || end - start > maxValue ? null : text.slice(start, end)
  return inside === null || inside.includes('\n') ? null : { start, text: inside, isQuoted: true }
}

/**
 * Returns the value up to its delimiter; after `password = ` with a space only if nothing but a comment follows, as in
 * a settings file.
 */
function bareValue(text: string, from: number, isSpaced: boolean): Value | null {
  const [value = ''] = /^[^\s"'`,;<>&|]{0,200}/.exec(text.slice(from, from + maxValue)) ?? []
  const rest = text.slice(from + value.length, from + value.length + 40)
  // A quote after it ends a text that contains the setting, as a string of JSON does.
  const isInQuotes = value.length >= 8 && /^["'`]/.test(rest)
  if (isSpaced && !isInQuotes && !/^[,;]?[ \t]*(?:\r?\n|$|#|\/\/|[,;&])/.test(rest)) return null
  return { start: from, text: value, isQuoted: false }
}

function isPlausible({ text, isQuoted }: Value, name: string, operator: string): boolean {
  // The cheapest test first: a text may consist of nothing but names of passwords.
  if (!isQuoted && !/[\d!#%^~@]/.test(text)) return false
  if (text.length < 4 || isReference.test(text) || isVariableName.test(text) || isPlaceholder(text)) return false
  if (/\s/.test(text) && !/phrase/i.test(name)) return false
  // "secret" and "token" have many meanings: only a value that looks random counts.
  if (!/^(?:passw|pwd)|phrase/i.test(name))
    return text.length >= 16 && /\d/.test(text) && /[a-z]/i.test(text) && (isQuoted || !isCall.test(text))
  if (isQuoted) return operator === '=' || operator === ':=' || /[^\p{L}]/u.test(text.replace(/[-_. ]/g, ''))
  return !isCode.test(text)
}

/**
 * `${X}`, `$X`, `%X%`, `{{ x }}`, `<x>`, `env:X`: the value is stored elsewhere. A path is a reference too; a version
 * number is not a secret.
 */
const isReference =
  /^(?:[~^]?v?\d+\.\d+\.\d+|\$[\w({]|%\w{0,40}[%s]|[{<[(].{0,400}[}>\])]$|[~.]{0,2}\/|[A-Za-z]:\\|[!@*&:]\w|(?:env|file|vault|ssm|op|keychain|arn|secret|https?)s?:|(?:process\.env|import\.meta|os\.environ)\b)|\$\{|\{\{|#\{/i

/** The name of a variable of the environment that holds the value. */
const isVariableName = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+){2,}$/

/** An identifier: called, indexed or accessed as a member. */
const isCode = /^[A-Za-z_$][\w$]*(?:[.([]|\?\.|::|->)|^[A-Za-z_$]+$/

/** Words that are called or indexed, such as `crypto.randomBytes(32)`: unlike a key, they have few digits. */
const isCall = /^[A-Za-z_$]{2,}(?:\d{1,2}[A-Za-z_$]*)?(?:(?:\.|\?\.|::|->)[A-Za-z_$]+(?:\d{1,2}[A-Za-z_$]*)?)*[([]/

function isPlaceholder(text: string): boolean {
  if (/^(.)\1*$/.test(text) || /^[x*•.#?_-]+$/i.test(text) || text.includes('…') || /\*{3}|x{4}|\.{3}/i.test(text))
    return true
  if (text.length > 60 || /\d/.test(text)) return false
  // A few words only, each of them typical of a placeholder.
  return text
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .every((word) => word === '' || placeholders.has(word))
}

const placeholders = new Set(
  `a an and any bar baz be change changeme changeit current default demo disabled dummy empty enabled example fake
  false field fill foo here hidden in incorrect input insert invalid me missing mock must my name new nil no none
  null number object of off old on optional or pass passphrase password passwd placeholder pwd real redacted removed
  replace replaceme required sample secret set some str string super test testing text that the this to todo token true
  type undefined unknown unset user value with wrong xxx you your yours key api access auth app admin root me db
  database`.split(/\s+/),
)
