import { command, flag } from '../../declare.ts'
import { file, json, preview } from '../options.ts'

export const orgImportCommand = command({
  name: 'import',
  summary: 'Import a document into the store; never deletes anything',
  examples: [
    'agency org import --file development.yaml --preview',
    'agency org export --org development | agency org import --preview',
  ],
  options: [
    file,
    preview,
    flag('--atomic', 'Import all of it or nothing (always the case)'),
    flag('--force', 'Replace the holders of seats; rename roles and personas that are shared'),
    flag('--with-intent', 'Overwrite the intent of an existing organisation'),
    json,
  ],
})
