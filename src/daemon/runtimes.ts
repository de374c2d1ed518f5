import { createClaudeCodeRuntime } from '../adapters/runtime/claude-code/runtime.ts'
import { createLlmRuntime } from '../adapters/runtime/llm/runtime.ts'
import type { EnvironmentSource } from '../adapters/runtime/environment.ts'
import type { Runtime } from '../adapters/runtime/port.ts'
import { createProgramRuntime } from '../adapters/runtime/program/runtime.ts'
import { createScriptedRuntime } from '../adapters/runtime/scripted/runtime.ts'
import type { Configuration } from '../config/contract.ts'

/** Creates every runtime of an installation; each one reports itself whether it can run here. */
export const createRuntimes = (
  values: Configuration,
  environment: Readonly<Record<string, string | undefined>>,
  environmentOf: EnvironmentSource = 'daemon',
): Runtime[] => [
  createScriptedRuntime({ host: 'process' }),
  createProgramRuntime(),
  createClaudeCodeRuntime({
    binary: values.claude.binary,
    environment,
    environmentOf,
    environmentNames: values.claude.environment,
    allowUnsandboxedYolo: values.allowUnsandboxedYolo,
  }),
  createLlmRuntime({
    providers: values.llm.providers,
    environment,
    environmentOf,
    allowUnsandboxedYolo: values.allowUnsandboxedYolo,
  }),
]
