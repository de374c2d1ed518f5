import { argument, command, value } from '../../declare.ts'
import { json } from '../options.ts'
import { checksPlace, list } from '../values.ts'

export const repoSetCommand = command({
  name: 'set',
  summary: 'Set how work on a repository is checked, in every run',
  examples: ["agency repo set ~/shop --setup 'make deps'", 'agency repo set ~/shop --checks workspace'],
  arguments: [argument('[path]', 'A path in the repository; default: the current directory', { default: '.' })],
  options: [
    value('--setup <command>', 'Command that makes a fresh checkout runnable; "auto": found from its lockfile'),
    value('--checks <place>', 'checkout: in a fresh checkout (default); workspace: in the agent’s workspace', {
      parse: checksPlace,
    }),
    value('--paths <paths>', 'Directories that a checkout contains, separated by commas; "all": every one', {
      parse: (text: string) => (text.trim() === 'all' ? [] : list(text)),
    }),
    json,
  ],
  check: (_, { setup, checks, paths }) => {
    if (setup === undefined && checks === undefined && paths === undefined)
      return 'nothing to set: add --setup, --checks or --paths'
    return setup?.trim() === '' ? 'the setup command is empty; "auto" finds it from the lockfile' : undefined
  },
})
