import { command } from '../../declare.ts'
import { json, org } from '../options.ts'

export const orgVacanciesCommand = command({
  name: 'vacancies',
  summary: 'List vacant seats',
  examples: ['agency org vacancies --org development'],
  options: [org, json],
})
