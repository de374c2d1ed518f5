import { agentOperations } from '../work/agents/contract.ts'
import { daemonOperations } from '../daemon/contract.ts'
import { demoOperations } from '../daemon/demos/contract.ts'
import { eventOperations } from '../events/contract.ts'
import { jobOperations } from '../jobs/contract.ts'
import { memoryOperations } from '../memory/contract.ts'
import { notifyOperations } from '../notify/contract.ts'
import { assignmentOperations } from '../org/assignments/contract.ts'
import { chartOperations } from '../org/chart/contract.ts'
import { documentOperations } from '../org/document/contract.ts'
import { organisationOperations } from '../org/organisations/contract.ts'
import { personaOperations } from '../org/personas/contract.ts'
import { positionOperations } from '../org/positions/contract.ts'
import { proposalOperations } from '../org/proposals/contract.ts'
import { roleOperations } from '../org/roles/contract.ts'
import { routingOperations } from '../org/routing/contract.ts'
import { sessionOperations } from '../sessions/contract.ts'
import { talentOperations } from '../talent/contract.ts'
import { amendmentOperations } from '../work/amendments/contract.ts'
import { artifactOperations } from '../work/artifacts/contract.ts'
import { attemptOperations } from '../work/attempts/contract.ts'
import { briefOperations } from '../work/briefs/contract.ts'
import { gateOperations } from '../work/gates/contract.ts'
import { budgetOperations } from '../work/budgets/contract.ts'
import { missionOperations } from '../work/missions/contract.ts'
import { noteOperations } from '../work/notes/contract.ts'
import { composerOperations } from '../work/composer/contract.ts'
import { planOperations } from '../work/plans/contract.ts'
import { pullRequestOperations } from '../work/pull-requests/contract.ts'
import { questionOperations } from '../work/questions/contract.ts'
import { repositorySettingsOperations } from '../work/repository-settings/contract.ts'
import { proofSheetOperations } from '../work/proof-sheets/contract.ts'
import { repeatOperations } from '../work/repeats/contract.ts'
import { runResultOperations } from '../work/run-results/contract.ts'
import { revertOperations } from '../work/reverts/contract.ts'
import { reportOperations } from '../work/reports/contract.ts'
import { runOperations } from '../work/runs/contract.ts'
import { spendOperations } from '../work/spends/contract.ts'
import { stopOperations } from '../work/stops/contract.ts'
import { templateOperations } from '../work/templates/contract.ts'
import { trustedFileOperations } from '../work/trusted-files/contract.ts'
import { workspaceOperations } from '../work/mission-workspaces/contract.ts'
import { decisionOperations } from '../work/decisions/contract.ts'
import { executionOperations } from '../work/mission-workspaces/executions/contract.ts'
import type { Operation } from './contract.ts'

export const operations = {
  daemon: daemonOperations,
  event: eventOperations,
  attempt: attemptOperations,
  artifact: artifactOperations,
  agent: agentOperations,
  note: noteOperations,
  spend: spendOperations,
  budget: budgetOperations,
  stop: stopOperations,
  brief: briefOperations,
  mission: missionOperations,
  memory: memoryOperations,
  run: runOperations,
  workspace: workspaceOperations,
  execution: executionOperations,
  gate: gateOperations,
  decision: decisionOperations,
  amendment: amendmentOperations,
  pullRequest: pullRequestOperations,
  proofSheet: proofSheetOperations,
  runResult: runResultOperations,
  report: reportOperations,
  repeat: repeatOperations,
  revert: revertOperations,
  question: questionOperations,
  repositorySettings: repositorySettingsOperations,
  plan: planOperations,
  composer: composerOperations,
  template: templateOperations,
  trustedFile: trustedFileOperations,
  organisation: organisationOperations,
  role: roleOperations,
  persona: personaOperations,
  position: positionOperations,
  assignment: assignmentOperations,
  chart: chartOperations,
  routing: routingOperations,
  document: documentOperations,
  proposal: proposalOperations,
  notify: notifyOperations,
  job: jobOperations,
  session: sessionOperations,
  talent: talentOperations,
  demo: demoOperations,
}

export const allOperations: readonly Operation[] = Object.values(operations).flatMap((group) => Object.values(group))
