import { command } from '../declare.ts'
import { json } from './options.ts'

export const briefCommand = command({
  name: 'brief',
  summary: 'Print your brief: objective, context, evidence, failures of the last attempt',
  examples: ['agency brief'],
  options: [json],
})
