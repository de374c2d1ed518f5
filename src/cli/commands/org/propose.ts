import { command, required } from '../../declare.ts'
import { file, json } from '../options.ts'

export const orgProposeCommand = command({
  name: 'propose',
  summary: 'Propose a changed document to the AR Director or the operator',
  examples: ['agency org propose --file changed.yaml --reason "We need a second tester"'],
  options: [file, required('--reason <text>', 'Reason for the proposal'), json],
})
