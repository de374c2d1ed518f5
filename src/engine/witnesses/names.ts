/** Reports whether the name of a file says that it checks something. */
export const isCalledCheck = (path: string): boolean =>
  path
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .some((word) => checkWords.has(word))

const checkWords = new Set(
  `test tests tester testing selftest runtests runtest unittest spec specs check checks checker verify verifier
  verification validate validator validation accept acceptance expect expected expectation expectations golden fixture
  fixtures snapshot snapshots lint smoke e2e assert asserts suite proof prove judge oracle criteria conformance
  regression harness audit ci grade grader eval qa benchmark`.split(/\s+/),
)

export const isSource = (path: string): boolean =>
  /\.(?:[cm]?[jt]sx?|py|rb|go|rs|java|kts?|c|cc|cpp|h|hpp|cs|php|swift|scala|exs?|lua|pl|vue|svelte|html|css)$/.test(
    path,
  )

/** Reports whether a file is mostly written by the work itself: code in any language, pictures, documents. */
export const isMade = (path: string): boolean =>
  isSource(path) ||
  isDocument(path) ||
  /\.(?:pyi|ipynb|erb|groovy|cxx|hh|mm?|fs|vb|erl|pm|astro|htm|s[ac]ss|less|styl|sql|graphql|gql|proto|dart|zig|nim|jl|hs|elm|mli?|clj[cs]?|sol|f90|[rR]|wat|glsl|wgsl|tf|hbs|ejs|jinja2?|tmpl|svg|png|jpe?g|gif|webp|ico|woff2?|pdf)$/.test(
    path,
  )

export const isData = (path: string): boolean =>
  /^[\w./-]+\.(?:json|ya?ml|csv|tsv|xml|txt)$/.test(path) && !/(?:^|\/)(?:package(?:-lock)?|tsconfig)\.json$/.test(path)

const isDocument = (path: string): boolean =>
  /\.(?:mdx?|rst|adoc|asciidoc|org|tex)$|(?:^|\/)(?:README|LICEN[CS]E|CHANGELOG|CHANGES|AUTHORS|NOTICE|TODO|HISTORY)[^/]*$/i.test(
    path,
  )

/** Reports whether an ending says that a file is a shell script. */
export const isShellName = (path: string): boolean => /\.(?:sh|bash)$/.test(path)

/** Reports whether a file that a command names is a shell script; one without a first line about it is, if it is started. */
export const isShellText = (text: string, isStarted: boolean): boolean =>
  text.startsWith('#!') ? /^#!.*\b(?:ba|da|k|mk|z|a)?sh\b/.test(text) : isStarted && !text.includes('\0')

/** Files whose lines are commands for make and its like. */
export const isRecipeName = (path: string): boolean => /(?:^|\/)(?:GNUm|M|m)akefile$|\.mk$|\.just$/.test(path)

/**
 * Reports whether the words of a brief ask for a file by name, which is then the work; a name without a dot may be a
 * common word. A sentence that forbids something asks for no file.
 */
export function isAskedFor(path: string, asked: string): boolean {
  return asked.split(/(?<=[.!?;])\s|\n/).some((sentence) => !forbids.test(sentence) && isNamedIn(path, sentence))
}

/**
 * Reports whether the words of a brief order a change of a file: a verb with the file as its object, as in "Write the
 * script a.sh and b.sh". A brief may name a script or an expected result only to say that it must hold.
 */
export function isOrdered(path: string, asked: string): boolean {
  if (!isAskedFor(path, asked)) return false
  const name = path.split('/').at(-1) ?? ''
  return asked.split(/(?<=[.!?;])\s|\n/).some((sentence) => {
    if (forbids.test(sentence)) return false
    const [, ...parts] = sentence.split(orders)
    return parts.some((part) => {
      const words = part.split(/[\s,:()`"'“”]+|\.$/).filter((word) => word !== '')
      const end = words.findIndex((word) => !/[./]/.test(word) && !between.has(word.toLowerCase()) && word !== name)
      return words.slice(0, end < 0 ? undefined : end).some((word) => word === name || word.endsWith(`/${name}`))
    })
  })
}

const orders =
  /\b(?:re)?(?:write|create|change|fix|mend|repair|edit|update|extend|adapt|improve|refactor|replace|correct)\b/i
const between = new Set(['the', 'a', 'an', 'file', 'files', 'script', 'scripts', 'and', 'our', 'its', 'shell'])

const forbids =
  /\b(?:not|never|no|nothing|without|don['’]t|must ?n['’]t|unchanged|untouched|keep|leave|stays?|intact)\b/i

function isNamedIn(path: string, asked: string): boolean {
  const name = path.split('/').at(-1) ?? ''
  if (name.includes('.')) return asked.split(/[\s,;:()`"'“”/]+|\.(?=\s|$)/).includes(name)
  const written = [...(path.includes('/') ? [path] : []), `./${path}`, `\`${name}\``, `"${name}"`, `'${name}'`]
  return written.some((each) => asked.split(/[\s,;:()]+|\.(?=\s|$)/).includes(each))
}

/** Reports whether the words of a brief name a file, also without its ending: data may be asked for by what they are. */
export function isAskedAbout(path: string, asked: string): boolean {
  const stem = (path.split('/').at(-1) ?? '').replace(/\.[^.]*$/, '').toLowerCase()
  const words = new Set(asked.toLowerCase().split(/[^a-z0-9_-]+/))
  return isAskedFor(path, asked) || (stem.length > 2 && words.has(stem))
}
