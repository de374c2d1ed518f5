import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import type { Puppet } from '../daemon-stage.ts'
import type { Attack } from '../contract.ts'
import { hasNetwork, key, type ProxyStage, proxyOf, until } from './stage.ts'

/** Opens connections to the proxy in the background of the box, each with these bytes, and leaves them open. */
async function flood(puppet: Puppet, connections: number, bytes: string): Promise<void> {
  writeFileSync(join(puppet.workspace, 'flood.json'), JSON.stringify({ connections, bytes }))
  const { code, out } = await puppet.shell(
    `rm -f flooded; '${process.execPath}' -e '${floodCode}' >/dev/null 2>&1 & echo $! >flood.pid
     until [ -e flooded ]; do sleep 0.05; done`,
  )
  if (code !== 0) throw new Error(out)
}

const stopFlood = (puppet: Puppet) => puppet.shell('kill -9 $(cat flood.pid)')

const floodCode = `const { connections, bytes } = JSON.parse(require("fs").readFileSync("flood.json", "utf8"));
const { port } = new URL(process.env.HTTP_PROXY);
let open = 0;
const done = () => { if (++open === connections) require("fs").writeFileSync("flooded", "") };
for (let at = 0; at < connections; at += 1) {
  const socket = require("net").connect(Number(port), "127.0.0.1", () => socket.write(bytes, done));
  socket.on("error", () => {});
}
setInterval(() => {}, 1000)`

/** Reports whether a flood of one box takes the network of another, or ends a process of ours. */
async function floodBreaks(stage: ProxyStage, connections: number, bytes: string): Promise<boolean> {
  const proxy = proxyOf(stage)
  await flood(stage.agent, connections, bytes)
  try {
    const others = await hasNetwork(stage, stage.neighbour)
    return !others || !stage.daemon.isAlive() || proxyOf(stage) !== proxy
  } finally {
    await stopFlood(stage.agent)
  }
}

async function killProxy(stage: ProxyStage): Promise<boolean> {
  const pid = proxyOf(stage)
  if (pid === null) return false
  process.kill(pid, 'SIGKILL')
  return until(() => ![null, pid].includes(proxyOf(stage)), 5_000)
}

const isWithoutNetwork = async (stage: ProxyStage): Promise<boolean> => {
  const hasBoth = async () => (await hasNetwork(stage)) && (await hasNetwork(stage, stage.neighbour))
  return !(await until(hasBoth, 5_000)) || !stage.daemon.isAlive()
}

export const processAttacks: readonly Attack<ProxyStage>[] = [
  {
    name: 'the process of the proxies is killed',
    control: (stage) => hasNetwork(stage),
    attack: async (stage) => !(await killProxy(stage)) || (await isWithoutNetwork(stage)),
  },
  {
    name: 'the process of the proxies is killed again and again',
    isLong: true,
    control: (stage) => hasNetwork(stage),
    attack: async (stage) => {
      for (let times = 0; times < 5; times += 1) if (!(await killProxy(stage))) return true
      return isWithoutNetwork(stage)
    },
  },
  {
    name: 'an agent signals the process of the proxies',
    // The user of the daemon may signal it.
    control: async (stage) => process.kill(proxyOf(stage) ?? 0, 0),
    attack: async (stage) => {
      const proxy = proxyOf(stage)
      await stage.agent.shell(`kill -9 ${proxy}; pkill -9 -f box.proxy`)
      return !stage.daemon.isAlive() || proxyOf(stage) !== proxy
    },
  },
  {
    name: 'a box opens more connections than it may',
    control: (stage) => hasNetwork(stage, stage.neighbour),
    attack: (stage) => floodBreaks(stage, 1_000, ''),
  },
  {
    name: 'a box sends the beginnings of requests and never their end',
    control: (stage) => hasNetwork(stage, stage.neighbour),
    attack: (stage) => floodBreaks(stage, 250, 'GET http://127.0.0.1/ HTTP/1.1\r\nx: '),
  },
  {
    name: 'a box sends bytes that are no request',
    control: (stage) => hasNetwork(stage, stage.neighbour),
    attack: (stage) => floodBreaks(stage, 250, '\u0000\u0001 HTTP/9.9\r\n\r\n'.repeat(100)),
  },
  {
    name: 'a box opens tunnels that nobody answers',
    control: (stage) => hasNetwork(stage, stage.neighbour),
    attack: (stage) => {
      stage.hostile.answer = () => {}
      const target = `127.0.0.1:${stage.hostile.port}`
      return floodBreaks(stage, 250, `CONNECT ${target} HTTP/1.1\r\nhost: x\r\n\r\n${'x'.repeat(1_000)}`)
    },
  },
  {
    name: 'a box sends thousands of requests in a few connections',
    control: (stage) => hasNetwork(stage, stage.neighbour),
    attack: (stage) => {
      stage.hostile.answer = () => {}
      const target = `127.0.0.1:${stage.hostile.port}`
      return floodBreaks(stage, 20, `GET http://${target}/ HTTP/1.1\r\nhost: x\r\n\r\n`.repeat(1_500))
    },
  },
  {
    name: 'a server answers many requests of a box in chunks of one byte',
    control: (stage) => hasNetwork(stage, stage.neighbour),
    attack: async (stage) => {
      const chunks = '1\r\na\r\n'.repeat(20_000)
      stage.hostile.answer = (socket) =>
        void socket.write(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${chunks}`)
      const target = `127.0.0.1:${stage.hostile.port}`
      return floodBreaks(stage, 250, `GET http://${target}/ HTTP/1.1\r\nhost: x\r\n\r\n`)
    },
  },
  {
    name: 'the arguments and variables of the proxy hold a secret of the daemon',
    control: async ({ daemon }) => readFileSync(`/proc/${daemon.pid}/environ`, 'utf8').includes(key),
    attack: async (stage) => {
      const texts = ['environ', 'cmdline'].map((name) => readFileSync(`/proc/${proxyOf(stage)}/${name}`, 'utf8'))
      return texts.some((text) => text.includes(key) || text.includes(stage.daemon.home))
    },
  },
]
