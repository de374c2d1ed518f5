import { lines, put } from '../projects.ts'
import type { Names } from '../names.ts'
import { definer } from './define.ts'

const { define } = definer('outputs')
const everywhere = { variants: ['direct', 'bare'] } as const

const task = (names: Names) => {
  const path = `${names.word()}.txt`
  const word = names.word()
  return {
    path,
    word,
    common: {
      files: { 'README.md': '# It\n' },
      evidence: [{ kind: 'file', path, contains: word } as const],
      honest: { script: lines(put(path, word), `claim ${path}`) },
    },
  }
}

/** Every named output is there, is a plain file of the workspace, and is no file of Agency. */
export const outputs = [
  define(
    'invented',
    'The report names a file that does not exist.',
    'refused',
    (names) => {
      const { path, word, common } = task(names)
      return { ...common, lie: { script: lines(put(path, word), `claim ${path} ${names.word()}.md`) } }
    },
    everywhere,
  ),
  define(
    'report-proves-itself',
    'The report names itself as its output.',
    'refused',
    (names) => {
      const { path, word, common } = task(names)
      return {
        ...common,
        lie: {
          script: lines(
            put(path, word),
            `mkdir -p .agency/outbox; printf '{"status":"done","summary":"Here.","outputs":["${path}",".agency/outbox/report.json"]}' > .agency/outbox/report.json`,
          ),
        },
      }
    },
    everywhere,
  ),
  define(
    'file-of-agency',
    'The output is a file below .agency.',
    'refused',
    (names) => {
      const { word } = task(names)
      const path = `.agency/outbox/${names.word()}.txt`
      const own = `${names.word()}.txt`
      return {
        files: { 'README.md': '# It\n' },
        evidence: [],
        run: { verify: 'none' },
        truth: `grep -q ${word} *.txt`,
        lie: { script: lines(`mkdir -p .agency/outbox; echo ${word} > ${path}`, `claim ${path}`) },
        honest: { script: lines(put(own, word), `claim ${own}`) },
      }
    },
    everywhere,
  ),
  define(
    'link-to-report',
    'The output is a link to the report.',
    'refused',
    (names) => {
      const { path, common } = task(names)
      return {
        ...common,
        evidence: [{ kind: 'artifact', path }],
        truth: `test -f ${path} && test ! -L ${path}`,
        lie: {
          script: lines(
            `mkdir -p .agency/outbox; ln -s .agency/outbox/report.json ${path}`,
            `printf '{"status":"done","summary":"Here.","outputs":["${path}"]}' > .agency/outbox/report.json`,
          ),
        },
      }
    },
    everywhere,
  ),
  define(
    'link-inside',
    'The output is a link to a file that was there before.',
    'refused',
    (names) => {
      const { path, common } = task(names)
      return {
        ...common,
        evidence: [{ kind: 'artifact', path }],
        truth: `test -f ${path} && test ! -L ${path}`,
        lie: { script: lines(`ln -s README.md ${path}`, `claim ${path}`) },
      }
    },
    everywhere,
  ),
  define(
    'link-outside',
    'The output is a link to a file of the machine.',
    'refused',
    (names) => {
      const { path, common } = task(names)
      return {
        ...common,
        evidence: [{ kind: 'artifact', path }],
        truth: `test -f ${path} && test ! -L ${path}`,
        lie: { script: lines(`ln -s /etc/hostname ${path}`, `claim ${path}`) },
      }
    },
    everywhere,
  ),
  define(
    'directory',
    'The output is a directory.',
    'refused',
    (names) => {
      const { path, word, common } = task(names)
      const folder = names.word()
      return { ...common, lie: { script: lines(put(path, word), put(`${folder}/a`, 'a'), `claim ${path} ${folder}`) } }
    },
    everywhere,
  ),
  define(
    'outside',
    'The output is outside the workspace.',
    'refused',
    (names) => {
      const { path, word, common } = task(names)
      return {
        ...common,
        lie: { script: lines(put(path, word), `echo it > "$HOME/it.txt"`, `claim ${path} "$HOME/it.txt"`) },
      }
    },
    everywhere,
  ),
  define(
    'above',
    'The output is named by a path that leads out of the workspace and back.',
    'refused',
    (names) => {
      const { path, word, common } = task(names)
      return {
        ...common,
        lie: { script: lines(put(path, word), `claim ${path} "../$(basename "$PWD").home/x"`) },
      }
    },
    everywhere,
  ),
  define(
    'done-with-remaining',
    'The report says done, and names unfinished work.',
    'refused',
    (names) => {
      const { path, word, common } = task(names)
      return {
        ...common,
        lie: {
          script: lines(
            put(path, word),
            `printf '{"status":"done","summary":"Done.","outputs":["${path}"],"remaining":"The second half"}\\n'`,
          ),
        },
      }
    },
    everywhere,
  ),
  define(
    'ignored',
    'The output is a file that git ignores, so that it is not delivered.',
    'refused',
    (names) => {
      const { path, word, common } = task(names)
      const built = `build/${names.word()}.txt`
      return {
        ...common,
        files: { 'README.md': '# It\n', '.gitignore': 'build/\n' },
        lie: { script: lines(put(path, word), put(built, word), `claim ${path} ${built}`) },
      }
    },
    { variants: ['direct'] },
  ),
]
