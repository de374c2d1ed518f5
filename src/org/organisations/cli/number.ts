import type { CliContext } from '../../../cli/context.ts'
import type { Wire } from '../../../cli/wire.ts'
import type { OrganisationView } from '../contract.ts'
import { organisationEndpoints } from '../endpoints.ts'

/** Returns the number of the organisation that --org names by number, slug or name. */
export async function organisationId(context: CliContext, org: string | undefined): Promise<number | undefined> {
  if (org === undefined) return undefined
  return (await context.api().call<Wire<OrganisationView>>(organisationEndpoints.show, { org })).organisation_id
}
