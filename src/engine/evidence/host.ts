import type { HostChecks } from '../../work/repository-settings/contract.ts'
import type { Checkout, CheckoutRequest, Workspaces } from '../../workspaces/port.ts'
import type { HostCommands } from './check.ts'

/** The commands of a check that run outside any box. Its checkout is made when the first of them runs. */
export interface HostCheckout extends HostCommands {
  isUsed(): boolean
  remove(): Promise<void>
}

/** Gives the commands that the operator's configuration allows outside any box a checkout of their own. */
export function createHostCheckout(
  workspaces: Workspaces,
  request: CheckoutRequest,
  { commands, setup }: HostChecks,
): HostCheckout {
  let opening: Promise<Checkout> | null = null
  return {
    commands,
    open: () => (opening ??= openOnHost(workspaces, request, setup)),
    isUsed: () => opening !== null,
    remove: async () => (await opening?.catch(() => null))?.remove(),
  }
}

/** Makes a checkout outside any box. */
export async function openOnHost(
  workspaces: Workspaces,
  request: CheckoutRequest,
  setup: string | null,
): Promise<Checkout> {
  const checkout = await workspaces.checkout({ ...request, id: `${request.id}.host`, box: false, setup })
  // A setup from the lockfile would run a command that no line of config.yaml names.
  return setup === null ? { ...checkout, setUp: async () => null } : checkout
}
