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

/** Reports whether the words of a brief name a file, which is then the work; a name without a dot may be a common word. */
export function isAskedFor(path: string, asked: string): boolean {
  const name = path.split('/').at(-1) ?? ''
  if (name.includes('.')) return asked.includes(name)
  const written = [...(path.includes('/') ? [path] : []), `./${path}`, `\`${name}\``, `"${name}"`, `'${name}'`]
  return written.some((each) => asked.split(/[\s,;:()]+|\.(?=\s|$)/).includes(each))
}

/** Reports whether the words of a brief name a file, also without its ending: data may be asked for by what they are. */
export function isAskedAbout(path: string, asked: string): boolean {
  const stem = (path.split('/').at(-1) ?? '').replace(/\.[^.]*$/, '').toLowerCase()
  const words = new Set(asked.toLowerCase().split(/[^a-z0-9_-]+/))
  return isAskedFor(path, asked) || (stem.length > 2 && words.has(stem))
}
