import type { Scenario } from './contract.ts'
import { playDefault } from './default.ts'
import { demoScenario } from './demo.ts'

/** A scenario may depend on what was asked. */
export type BuiltIn = (prompt: string) => Scenario

export const builtInScenarios: Readonly<Record<string, BuiltIn>> = {
  default: playDefault,
  demo: () => demoScenario,
}
