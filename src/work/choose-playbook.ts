import { refusal } from '../kernel/errors.ts'
import type { Playbook } from '../playbooks/contract.ts'

/** Returns the playbook of this name, or the first one if none is named. */
export function choosePlaybook(playbooks: ReadonlyMap<string, Playbook>, name: string | undefined): Playbook {
  const chosen = name === undefined ? playbooks.values().next().value : playbooks.get(name)
  if (chosen === undefined)
    throw refusal('invalid_input', `unknown playbook "${name}"; available: ${[...playbooks.keys()].join(', ')}`)
  return chosen
}
