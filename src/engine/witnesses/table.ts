import type { Odd } from '../../work/evidence/contract.ts'

/** A kind of file on which evidence rests, or which a tool loads although no command names it. */
export interface Witness {
  readonly kind: Extract<Odd['kind'], 'tests' | 'scripts' | 'ci' | 'tools' | 'instructions'>
  /** Whether a new file of this kind is odd: only an addition where the start has tests that it can weaken. */
  readonly whenNew: 'odd' | 'odd with tests' | 'fine'
  /** The effect of a new file, after "… is new: ". */
  readonly effect: string
  /** Whether it can change the result of a command. */
  readonly isRun: boolean
  /** Whether it is the work itself if the brief asks for it by name. */
  readonly unlessAsked?: boolean
}

/**
 * Returns the kind of witness at a path; null: evidence does not rest on such files. The first match decides.
 * `directories` are those in which commands run, beside the top of the repository.
 */
export function witnessAt(path: string, directories: ReadonlySet<string> = nowhere): Witness | null {
  if (shadows(path, directories)) return shadowing
  return table.find(([pattern]) => pattern.test(path))?.[1] ?? null
}

const nowhere: ReadonlySet<string> = new Set()

/** A file that a test runner is given, by any name. */
export const namedTest: Witness = { kind: 'tests', whenNew: 'fine', effect: '', isRun: true }

/** A package.json in a directory that existed: Node reads it instead of the one above. */
export const nestedPackage: Witness = {
  kind: 'tools',
  whenNew: 'odd',
  effect: 'Node reads it instead of the one above',
  isRun: true,
}

const tool = (effect: string, isRun = true): Witness => ({ kind: 'tools', whenNew: 'odd', effect, isRun })
const configuration: Witness = {
  kind: 'scripts',
  whenNew: 'odd with tests',
  effect: 'it decides what the checks run',
  isRun: true,
}
const tests = namedTest
const ci: Witness = { kind: 'ci', whenNew: 'odd', effect: 'the forge runs it by itself', isRun: false }
const instructions: Witness = {
  kind: 'instructions',
  whenNew: 'odd',
  effect: 'agents read it by themselves',
  isRun: false,
}
/** A file at a place where settings are kept: another tool than those of the table may read it. */
export function looksLikeSettings(path: string, directories: ReadonlySet<string>): boolean {
  const [directory, name] = [path.split('/').slice(0, -1).join('/'), path.split('/').at(-1) ?? '']
  if (directory !== '' && !directories.has(directory)) return false
  return settingsName.test(name) && !harmlessName.test(name)
}

const settingsName = /^\.[^.]|\.config\.[^.]+$|\.(?:toml|ini|cfg|neon|bazel|props|targets|cmake|sbt)$/
const harmlessName =
  /^\.(?:editorconfig|dockerignore|npmignore|mailmap|gitkeep|keep|env|git|ds_store|vscodeignore|helmignore|gcloudignore|slugignore|hgignore|prettierignore|htaccess|nojekyll|all-contributorsrc|releaserc|readthedocs|codecov|dependabot|snyk|devcontainer)|^(?:config|settings|app|application|alembic|uwsgi|netlify|fly|wrangler|railway|supabase|hugo|book|theme|site|locale\w*|messages|desktop|data|prices|rates)\.\w+$|^(?:tailwind|postcss|svelte|astro|nuxt|docusaurus|uno|panda|drizzle|sanity|gatsby|capacitor|app|i18n\w*)\.config\./i

const shadowing = tool('Python loads it instead of its own module')

/** Matches files below a directory of such a name, but no documentation. */
function inDirectory(name: RegExp): RegExp {
  return new RegExp(`(?:^|/)(?:${name.source})/(?!.*\\.mdx?$)`, name.flags)
}

/** Paths of the repository, in the order in which they are looked up. */
const table: readonly (readonly [RegExp, Witness])[] = [
  [
    /(^|\/)(CLAUDE|AGENTS|GEMINI)(\.local)?\.md$|(^|\/)\.(claude|codex|cursor|gemini)\/|(^|\/)\.mcp\.json$/,
    instructions,
  ],
  [/(^|\/)\.cursorrules$|^\.github\/copilot-instructions\.md$/, instructions],

  [/^\.github\/(workflows|actions)\/|^\.gitlab-ci\.ya?ml$|^\.?ci\/|^\.(gitlab|circleci|buildkite|woodpecker)\//, ci],
  [/^(azure-pipelines|appveyor|bitbucket-pipelines|\.travis|\.drone|\.woodpecker)\.ya?ml$|^Jenkinsfile$/, ci],

  [/(^|\/)(node_modules|\.venv|venv|site-packages)\//, tool('it stands before installed packages')],
  [/(^|\/)[^/]+\.(egg|dist)-info\/|(^|\/)[^/]+\.egg-link$/, tool('Python loads plugins by it')],
  [/(^|\/)(__pycache__\/|[^/]+\.py[co]$)/, tool('Python loads it instead of the source')],
  [/(^|\/)(conftest\.py|\.?pytest\.(ini|toml))$/, tool('pytest loads it by itself')],
  [/(^|\/)((site|user)customize\.py|[^/]+\.pth)$/, tool('Python loads it by itself')],
  [/(^|\/)(\.npmrc|\.yarnrc[^/]*|\.?pnpmfile\.c?js)$|(^|\/)\.yarn\//, tool('the package manager reads it by itself')],
  [/(^|\/)\.?bunfig\.toml$/, tool('bun reads it by itself')],
  [/(^|\/)(GNUm|m)akefile$/, tool('make reads it before Makefile')],
  [/(^|\/)[^/]+\.mk$/, tool('a makefile may include it')],
  [/(^|\/)(\.envrc|\.env(\.(?!example|sample|template)[^/]*)?)$/, tool('tools read it by themselves')],
  [/(^|\/)(\.babelrc[^/]*|babel\.config\.[^/]+|\.swcrc)$/, tool('compilers read it by themselves')],
  [/(^|\/)(\.tool-versions|\.nvmrc|\.(node|python|ruby)-version|\.?mise\.toml)$/, tool('it selects versions of tools')],
  [
    /(^|\/)\.cargo\/|(^|\/)\.mvn\/|(^|\/)(gradle\.properties|init\.gradle(\.kts)?)$/,
    tool('the build reads it by itself'),
  ],
  [
    /(^|\/)(\.bazelrc|user\.bazelrc|go\.work|Directory\.(Build|Packages)\.(props|targets))$/,
    { ...tool('the build reads it by itself'), unlessAsked: true },
  ],
  [
    /(^|\/)([^/]+\.runsettings|CTestTestfile\.cmake|CTestCustom\.cmake|CMake(User)?Presets\.json)$/,
    { ...tool('the build reads it by itself'), unlessAsked: true },
  ],
  [/(^|\/)\.gitattributes$/, tool('git changes files by it')],
  [/(^|\/)\.gitignore$/, tool('git leaves out files by it', false)],
  [/(^|\/)\.gitmodules$/, tool('git fetches repositories by it', false)],
  [/(^|\/)\.(husky|githooks)\//, tool('git runs it by itself', false)],

  [/(^|\/)(Makefile|\.?[jJ]ustfile|Taskfile\.ya?ml|Rakefile)$/, { ...configuration, whenNew: 'fine' }],
  [
    /(^|\/)(package\.json|composer\.json|pyproject\.toml|setup\.cfg|Cargo\.toml|go\.mod)$/,
    { ...configuration, whenNew: 'fine' },
  ],
  [
    /(^|\/)(pom\.xml|(build|settings)\.gradle(\.kts)?|build\.sbt|CMakeLists\.txt|Gemfile|mix\.exs|[^/]+\.(cs|fs|vb)proj)$/,
    { ...configuration, whenNew: 'fine' },
  ],
  [/(^|\/)build\.rs$/, { ...configuration, effect: 'Cargo runs it before the tests', unlessAsked: true }],
  // Only entries that replace a package are compared.
  [
    /(^|\/)((package-lock|npm-shrinkwrap)\.json|yarn\.lock|pnpm-lock\.yaml|requirements[^/]*\.txt)$/,
    { ...configuration, whenNew: 'fine' },
  ],
  [/(^|\/)((Cargo|poetry|uv|Gemfile|composer)\.lock|go\.sum)$/, { ...configuration, whenNew: 'fine' }],
  [/\.(tgz|tar\.gz|tar\.xz|zip|whl|egg|jar|gem|nupkg)$/, { ...tool(''), whenNew: 'fine' }],
  [/(^|\/)(tox\.ini|noxfile\.py|\.coveragerc|phpunit\.xml[^/]*|\.rspec|deno\.jsonc?)$/, configuration],
  [/(^|\/)(vitest|jest|playwright|cypress|ava|wdio|web-test-runner)\.(config|workspace|setup)\.[^/]+$/, configuration],
  [/(^|\/)(\.mocharc|\.nycrc|\.c8rc|\.taprc)[^/]*$|(^|\/)karma\.conf\.[^/]+$/, configuration],
  // Test runners and builds read them too, but they are settings of the product as well.
  [
    /(^|\/)(vite|webpack|rollup|rspack|rsbuild|esbuild|metro|tsup)\.(config|conf)[^/]*\.[^/]+$/,
    { ...configuration, unlessAsked: true },
  ],
  [
    /(^|\/)(pnpm-workspace\.yaml|lerna\.json|nx\.json|turbo\.jsonc?|rush\.json|wireit\.json)$/,
    { ...configuration, unlessAsked: true },
  ],
  [
    /(^|\/)(behave\.ini|\.?nose\.cfg|unittest\.cfg|testng\.xml|junit-platform\.properties|codeception\.ya?ml|behat\.ya?ml|dart_test\.yaml)$/,
    configuration,
  ],
  [
    /(^|\/)(\.eslint(rc|ignore)|\.oxlintrc|\.prettier(rc|ignore)|\.stylelintrc|\.flake8|\.pylintrc)[^/]*$/,
    configuration,
  ],
  [/(^|\/)(eslint\.config\.[^/]+|biome\.jsonc?|\.?ruff\.toml|\.?mypy\.ini|[tj]sconfig[^/]*\.json)$/, configuration],
  [
    /(^|\/)((prettier|stylelint|oxlint|dprint|knip|commitlint)\.config\.[^/]+|dprint\.json|oxlintrc\.json|pyrightconfig\.json)$/,
    configuration,
  ],
  [
    /(^|\/)(\.golangci\.(ya?ml|toml|json)|\.rubocop[^/]*\.yml|\.?(clippy|rustfmt)\.toml|(phpstan|psalm|phpcs|\.php-cs-fixer)[^/]*\.(neon|xml|php|dist)|\.credo\.exs|analysis_options\.yaml|\.swiftlint\.yml|detekt\.yml|checkstyle\.xml)$/,
    configuration,
  ],
  [
    /(^|\/)(\.markdownlint[^/]*|\.yamllint[^/]*|\.shellcheckrc|\.hadolint\.ya?ml|\.clang-(tidy|format)|\.?cspell[^/]*\.(json|ya?ml)|\.pre-commit-config\.yaml|\.?lintstagedrc[^/]*|\.standard\.yml|\.credo\.exs)$/,
    configuration,
  ],

  [inDirectory(/_*(?:tests?|specs?|unit_?tests?)_*|e2e|cypress|__snapshots__|__fixtures__|testdata/i), tests],
  // Such as Shop.Tests, ShopUITests, integration-tests and the source sets androidTest and testFixtures of Gradle.
  [inDirectory(/[^/]+[._-][Tt]ests|[^/]*[a-z0-9]Tests|[^/]*[A-Z]{2}Tests|[^/]+\.Test/), tests],
  [
    inDirectory(
      /(?:unit|int|integration|functional|system|acceptance|smoke|api|ui|android|common|jvm|js)(?:Test|[._-]test)/,
    ),
    tests,
  ],
  [
    inDirectory(/testFixtures|fixtures?|goldens?|expected|snapshots|__mocks__|mocks|test[_-]data|step_definitions/),
    tests,
  ],
  [/^(qa|checks|acceptance|conformance|verification|x?t)\/(?!.*\.mdx?$)/, tests],
  [/(^|\/)([^/]*[._-](test|tests|spec|cy|e2e)\.[^/]+|(tests?|spec)\.[^/]+|[^/]+\.snap)$/, tests],
  [/(^|\/)[^/]+\.(t|bats|phpt|feature|robot|shunit2?)$/, tests],
  // A folder of such a name is looked up above; without an ending, test-cart is a program.
  [/(^|\/)tests?[_-][^/]+\.(py|rb|[cm]?[jt]sx?|lua|jl|R|r|pl|sh|bash|c|cc|cpp|nim|ml|el|php)$/, tests],
  [
    /(^|\/)([^/]*[a-z0-9](Test|Tests|TestCase|Spec|IT)|Test[A-Z][^/]*|(Test|Tests|Spec))\.(java|kts?|groovy|scala)$/,
    tests,
  ],
  [/(^|\/)[^/]*(Test|Tests|TestCase|Spec|Specs)\.(cs|fs|vb|swift|php|mm?|cc|cpp|hs)$/, tests],
]

/** Modules of Python and of its test runners that a file of the same name hides from a command in its directory. */
const modules = new Set(
  `_pytest abc aifc anyio argparse array ast asynchat asyncio asyncore atexit attr attrs audioop base64 bdb binascii bisect builtins
  bz2 cProfile calendar cgi cgitb chunk cmath cmd code codecs codeop collections colorama colorsys compileall concurrent
  configparser contextlib contextvars copy copyreg coverage crypt csv ctypes curses dataclasses datetime dbm decimal
  difflib dis distutils doctest email encodings ensurepip enum errno exceptiongroup execnet faulthandler fcntl filecmp
  fileinput fnmatch fractions ftplib functools gc genericpath getopt getpass gettext glob graphlib grp gzip hashlib
  heapq hmac html http hypothesis imaplib imghdr imp importlib iniconfig inspect io ipaddress itertools json keyword
  lib2to3 linecache locale logging lzma mailbox mailcap marshal math mimetypes mmap mock modulefinder
  multiprocessing netrc nis nntplib nose nose2 ntpath nturl2path numbers opcode operator optparse os ossaudiodev packaging
  pathlib pdb pickle pickletools pip pipes pkg_resources pkgutil platform plistlib pluggy poplib posix posixpath pprint profile pstats
  pty pwd py py_compile pyclbr pydoc pydoc_data pyexpat pygments pytest pytest_asyncio pytest_cov pytest_mock queue quopri random re readline reprlib resource
  rlcompleter runpy sched secrets select selectors setuptools shelve shlex shutil signal site smtpd six smtplib sndhdr socket
  socketserver spwd sqlite3 sre_compile sre_constants sre_parse ssl stat statistics string stringprep struct
  subprocess sunau symtable sys sysconfig syslog tabnanny tarfile telnetlib tempfile termios textwrap threading time
  timeit tkinter token tokenize tomli tomllib trace traceback tracemalloc tty turtle types typing unicodedata
  tox typing_extensions unittest urllib uu uuid venv warnings wave weakref webbrowser wsgiref xdist xdrlib xml xmlrpc zipapp zipfile zipimport
  zlib zoneinfo`.split(/\s+/),
)

/** Reports whether a path is a module of one of these names in a directory from which commands start. */
export const isModuleOf = (path: string, names: ReadonlySet<string>, directories: ReadonlySet<string>): boolean => {
  const [directory, name] = moduleAt(path) ?? []
  return (
    directory !== undefined && name !== undefined && names.has(name) && (directory === '' || directories.has(directory))
  )
}

/** A module with the name of an installed package. */
export const shadowingPackage = tool('Python loads it instead of the installed package')

/** Only directories from which commands are started, or which a runner adds to the path: a package may have a json.py. */
function shadows(path: string, directories: ReadonlySet<string>): boolean {
  const [directory, name] = moduleAt(path) ?? []
  if (directory === undefined || name === undefined) return false
  return modules.has(name) && (searched.has(directory) || directories.has(directory))
}

function moduleAt(path: string): [directory: string, name: string] | null {
  const module = path.replace(/(?:\/__init__)?\.py$/, '')
  if (module === path) return null
  const slash = module.lastIndexOf('/')
  return [module.slice(0, Math.max(0, slash)), module.slice(slash + 1)]
}

const searched = new Set(['', 'src', 'lib', 'test', 'tests'])
