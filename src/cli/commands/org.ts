import { type Noun, register } from '../declare.ts'
import { orgArchiveCommand } from './org/archive.ts'
import { orgAssessFitCommand } from './org/assess-fit.ts'
import { orgAssignCommand } from './org/assign.ts'
import { orgAssignmentsCommand } from './org/assignments.ts'
import { orgAvailablePersonasCommand } from './org/available-personas.ts'
import { orgCreateCommand } from './org/create.ts'
import { orgExportCommand } from './org/export.ts'
import { orgGetCommand } from './org/get.ts'
import { orgImportCommand } from './org/import.ts'
import { orgIntentReadCommand } from './org/intent/read.ts'
import { orgIntentWriteCommand } from './org/intent/write.ts'
import { orgListCommand } from './org/list.ts'
import { orgPersonaArchiveCommand } from './org/persona/archive.ts'
import { orgPersonaCreateCommand } from './org/persona/create.ts'
import { orgPersonaExperienceCommand } from './org/persona/experience.ts'
import { orgPersonaImportCommand } from './org/persona/import.ts'
import { orgPersonaListCommand } from './org/persona/list.ts'
import { orgPersonaShowCommand } from './org/persona/show.ts'
import { orgPersonaSkillCommand } from './org/persona/skill.ts'
import { orgPersonaUpdateCommand } from './org/persona/update.ts'
import { orgPositionAuthorityClearCommand } from './org/position/authority/clear.ts'
import { orgPositionAuthorityListCommand } from './org/position/authority/list.ts'
import { orgPositionAuthoritySetCommand } from './org/position/authority/set.ts'
import { orgPositionCreateCommand } from './org/position/create.ts'
import { orgPositionListCommand } from './org/position/list.ts'
import { orgPositionRemoveCommand } from './org/position/remove.ts'
import { orgPositionShowCommand } from './org/position/show.ts'
import { orgPositionUpdateCommand } from './org/position/update.ts'
import { orgProposalApplyCommand } from './org/proposal/apply.ts'
import { orgProposalRejectCommand } from './org/proposal/reject.ts'
import { orgProposalsCommand } from './org/proposals.ts'
import { orgProposeCommand } from './org/propose.ts'
import { orgRoleCreateCommand } from './org/role/create.ts'
import { orgRoleListCommand } from './org/role/list.ts'
import { orgRoleUpdateCommand } from './org/role/update.ts'
import { orgRouteCommand } from './org/route.ts'
import { orgSetCommand } from './org/set.ts'
import { orgShowCommand } from './org/show.ts'
import { orgStatusCommand } from './org/status.ts'
import { orgTreeCommand } from './org/tree.ts'
import { orgUnassignCommand } from './org/unassign.ts'
import { orgUpdateCommand } from './org/update.ts'
import { orgVacanciesCommand } from './org/vacancies.ts'
import { orgValidateCommand } from './org/validate.ts'
import { orgWhoamiCommand } from './org/whoami.ts'

export const orgNoun: Noun = {
  name: 'org',
  summary: 'Manage organisations, roles, seats, personas and assignments',
  sections: [
    {
      heading: 'Organisations:',
      commands: [
        register(orgCreateCommand, async () => (await import('../../org/organisations/cli.ts')).createOrganisation),
        register(orgListCommand, async () => (await import('../../org/organisations/cli.ts')).listOrganisations),
        register(orgShowCommand, async () => (await import('../../org/organisations/cli.ts')).showOrganisation),
        register(orgUpdateCommand, async () => (await import('../../org/organisations/cli.ts')).updateOrganisation),
        register(orgArchiveCommand, async () => (await import('../../org/organisations/cli.ts')).archiveOrganisation),
        register(orgStatusCommand, async () => (await import('../../org/organisations/cli.ts')).organisationStatus),
        register(orgGetCommand, async () => (await import('../../org/organisations/cli.ts')).getSettings),
        register(orgSetCommand, async () => (await import('../../org/organisations/cli.ts')).setSetting),
      ],
    },
    {
      heading: 'The document:',
      commands: [
        register(orgExportCommand, async () => (await import('../../org/document/cli.ts')).exportOrganisation),
        register(orgImportCommand, async () => (await import('../../org/document/cli.ts')).importDocument),
        register(orgValidateCommand, async () => (await import('../../org/document/cli.ts')).validateDocument),
        register(orgProposeCommand, async () => (await import('../../org/proposals/cli.ts')).propose),
        register(orgProposalsCommand, async () => (await import('../../org/proposals/cli.ts')).listProposals),
        {
          name: 'proposal',
          summary: 'Apply or reject a proposal',
          commands: [
            register(orgProposalApplyCommand, async () => (await import('../../org/proposals/cli.ts')).applyProposal),
            register(orgProposalRejectCommand, async () => (await import('../../org/proposals/cli.ts')).rejectProposal),
          ],
        },
      ],
    },
    {
      heading: 'Finding your way:',
      commands: [
        register(orgTreeCommand, async () => (await import('../../org/chart/cli.ts')).showTree),
        register(orgWhoamiCommand, async () => (await import('../../org/routing/cli.ts')).whoami),
        register(orgRouteCommand, async () => (await import('../../org/routing/cli.ts')).route),
      ],
    },
    {
      heading: 'Intent:',
      commands: [
        {
          name: 'intent',
          summary: 'Read and write the intent of an organisation',
          commands: [
            register(orgIntentReadCommand, async () => (await import('../../org/organisations/cli.ts')).readIntent),
            register(orgIntentWriteCommand, async () => (await import('../../org/organisations/cli.ts')).writeIntent),
          ],
        },
      ],
    },
    {
      heading: 'Roles:',
      commands: [
        {
          name: 'role',
          summary: 'Manage roles, which all organisations share',
          commands: [
            register(orgRoleCreateCommand, async () => (await import('../../org/roles/cli.ts')).createRole),
            register(orgRoleListCommand, async () => (await import('../../org/roles/cli.ts')).listRoles),
            register(orgRoleUpdateCommand, async () => (await import('../../org/roles/cli.ts')).updateRole),
          ],
        },
      ],
    },
    {
      heading: 'Positions:',
      commands: [
        {
          name: 'position',
          summary: 'Manage the seats of an organisation',
          commands: [
            register(orgPositionCreateCommand, async () => (await import('../../org/positions/cli.ts')).createPosition),
            register(orgPositionListCommand, async () => (await import('../../org/positions/cli.ts')).listPositions),
            register(orgPositionShowCommand, async () => (await import('../../org/positions/cli.ts')).showPosition),
            register(orgPositionUpdateCommand, async () => (await import('../../org/positions/cli.ts')).updatePosition),
            register(orgPositionRemoveCommand, async () => (await import('../../org/positions/cli.ts')).removePosition),
            {
              name: 'authority',
              summary: 'Manage the limits of a seat',
              commands: [
                register(
                  orgPositionAuthoritySetCommand,
                  async () => (await import('../../org/positions/cli.ts')).setAuthority,
                ),
                register(
                  orgPositionAuthorityListCommand,
                  async () => (await import('../../org/positions/cli.ts')).listAuthority,
                ),
                register(
                  orgPositionAuthorityClearCommand,
                  async () => (await import('../../org/positions/cli.ts')).clearAuthority,
                ),
              ],
            },
          ],
        },
      ],
    },
    {
      heading: 'Personas:',
      commands: [
        {
          name: 'persona',
          summary: 'Manage personas of all organisations',
          commands: [
            register(orgPersonaCreateCommand, async () => (await import('../../org/personas/cli.ts')).createPersona),
            register(orgPersonaListCommand, async () => (await import('../../org/personas/cli.ts')).listPersonas),
            register(orgPersonaShowCommand, async () => (await import('../../org/personas/cli.ts')).showPersona),
            register(orgPersonaUpdateCommand, async () => (await import('../../org/personas/cli.ts')).updatePersona),
            register(orgPersonaArchiveCommand, async () => (await import('../../org/personas/cli.ts')).archivePersona),
            register(orgPersonaSkillCommand, async () => (await import('../../org/personas/cli.ts')).personaSkill),
            register(
              orgPersonaExperienceCommand,
              async () => (await import('../../org/personas/cli.ts')).personaExperience,
            ),
            register(
              orgPersonaImportCommand,
              async () => (await import('../../org/personas/cli/import.ts')).importPersonas,
            ),
          ],
        },
      ],
    },
    {
      heading: 'Assignments:',
      commands: [
        register(orgAssignCommand, async () => (await import('../../org/assignments/cli.ts')).assign),
        register(orgUnassignCommand, async () => (await import('../../org/assignments/cli.ts')).unassign),
        register(orgAssignmentsCommand, async () => (await import('../../org/assignments/cli.ts')).listAssignments),
        register(orgVacanciesCommand, async () => (await import('../../org/assignments/cli.ts')).listVacancies),
        register(
          orgAvailablePersonasCommand,
          async () => (await import('../../org/assignments/cli.ts')).listAvailablePersonas,
        ),
        register(orgAssessFitCommand, async () => (await import('../../org/assignments/cli.ts')).assessFit),
      ],
    },
  ],
}
