import { boxHere } from '../../support/box-here.ts'
import { defineFamily } from '../contract.ts'
import { answerAttacks } from '../proxy/answers.ts'
import { keyAttacks } from '../proxy/keys.ts'
import { processAttacks } from '../proxy/processes.ts'
import { requestAttacks } from '../proxy/requests.ts'
import { openProxyStage, type ProxyStage } from '../proxy/stage.ts'

export const proxy = defineFamily<ProxyStage>({
  name: 'proxy',
  about: 'servers and requests that attack the proxy of a box, and agents that want the key of their model',
  open: openProxyStage,
  close: (stage) => stage.close(),
  attacks: [...answerAttacks, ...requestAttacks, ...processAttacks, ...keyAttacks].map((each) => ({
    ...each,
    skip: () => (boxHere.ok ? null : boxHere.reason),
  })),
})
