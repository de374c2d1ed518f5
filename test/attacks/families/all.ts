import type { Family } from '../contract.ts'
import { authority } from './authority.ts'
import { box } from './box.ts'
import { judges } from './judges.ts'
import { load } from './load.ts'
import { limits } from './limits.ts'
import { local } from './local.ts'
import { proxy } from './proxy.ts'
import { secrets } from './secrets.ts'
import { sight } from './sight.ts'
import { trust } from './trust.ts'

export const families: readonly Family[] = [authority, box, judges, limits, load, local, proxy, secrets, sight, trust]
