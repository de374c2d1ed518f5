import type { LaunchStep } from '../port.ts'

/** Returns the workstream of a step, in a playbook that has workstreams. */
export function workstreamOf({ data }: LaunchStep): string | null {
  const { workstream } = data
  return typeof workstream === 'string' ? workstream : null
}

/** Returns the files that a step may change, if they were agreed. */
export function filesOf({ data }: LaunchStep): string[] {
  const { files } = data
  return Array.isArray(files) ? files.map(String) : []
}
