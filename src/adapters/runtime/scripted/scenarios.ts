import type { Scenario } from './contract.ts'
import { playDefault } from './default.ts'
import { demoScenario } from './demo.ts'

/** A scenario may depend on what was asked, and on the files that whoever plays it may touch. */
export type BuiltIn = (prompt: string, files?: readonly string[]) => Scenario

export const builtInScenarios: Readonly<Record<string, BuiltIn>> = {
  default: playDefault,
  demo: () => demoScenario,
}
