import type { Look, Workspace, Workspaces } from '../../workspaces/port.ts'
import { createLook } from '../../workspaces/files.ts'

/**
 * Returns the same workspaces, in which all reading of files is one look: it ends with the signal, and an agent that
 * names large files many times uses up its own look only.
 */
export function withOneLook(workspaces: Workspaces, signal: AbortSignal): Workspaces {
  const look = createLook(signal)
  return {
    ...workspaces,
    open: async (request) => lookInto(await workspaces.open(request), look),
    checkout: async (request) => lookInto(await workspaces.checkout(request), look),
  }
}

const lookInto = <Place extends Workspace>(place: Place, look: Look): Place => ({
  ...place,
  read: (path: string, maxBytes: number) => place.read(path, maxBytes, look),
})
