import { installClaude } from './install.ts'

/** Paths of the program and of the packages beside it; set once for all tests. */
export const claudeVariable = 'AGENCY_TEST_CLAUDE'
export const modulesVariable = 'AGENCY_TEST_MODULES'

export function setup(): void {
  const installed = installClaude()
  if ('missing' in installed) throw new Error(installed.missing)
  process.env[claudeVariable] = installed.path
  process.env[modulesVariable] = installed.modules
}
