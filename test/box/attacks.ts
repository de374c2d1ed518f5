import { existsSync, readFileSync } from 'node:fs'
import { networkInterfaces } from 'node:os'

import { shellCommand } from '../../src/workspaces/quote.ts'
import type { Attack } from './fixture.ts'
import { reachAttacks } from './reach.ts'

const isRoot = process.getuid?.() === 0
const rootOnly = (): string | null => (isRoot ? null : 'without a box only root can do it')

const node = (code: string, ...args: readonly (string | number)[]): string =>
  shellCommand([process.execPath, '-e', code, ...args.map(String)])

/** Prints BREACHED if the target answers with its greeting. */
const greet = (target: string): string =>
  node(`const s = require('net').connect(${target}); s.on('data', d => { if (String(d).includes('secret')) console.log('BREACHED'); process.exit() })
s.on('error', e => { console.log(e.code); process.exit(1) }); setTimeout(() => process.exit(2), 3000).unref()`)

/** Connects through the proxy if there is one: it is a way out of the box too. */
const greetThroughProxy = (host: string, port: number): string =>
  node(
    `const proxy = process.env.HTTP_PROXY, [host, port] = process.argv.slice(1)
const s = proxy ? require('net').connect(new URL(proxy).port, '127.0.0.1') : require('net').connect(port, host)
if (proxy) s.write('CONNECT ' + host + ':' + port + ' HTTP/1.1\\r\\nhost: ' + host + '\\r\\n\\r\\n')
let text = ''; s.on('data', d => { text += d; if (text.includes('secret')) { console.log('BREACHED'); process.exit() } })
s.on('end', () => { console.log(text.split('\\r\\n')[0]); process.exit(1) }); s.on('error', e => { console.log(e.code); process.exit(1) })
setTimeout(() => process.exit(2), 3000).unref()`,
    host,
    port,
  )

/** Without a box, mounts are tried in a namespace that ends with the script. */
const amongMounts = (prelude: string, script: string, boxed: boolean): string =>
  boxed ? script : shellCommand(['unshare', isRoot ? '-m' : '-rm', 'sh', '-c', `${prelude}; ${script}`])

const address = (): string | null =>
  Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? null

export const attacks: readonly Attack[] = [
  ...reachAttacks,
  {
    name: 'write a file outside the workspace',
    script: ({ outside }) => `echo x > ${outside}/written`,
    trace: ({ outside }) => existsSync(`${outside}/written`),
  },
  {
    name: 'read a file outside the workspace',
    script: ({ outside }) => `grep -q secret ${outside}/secret && echo BREACHED`,
  },
  {
    name: 'change a file under .agency',
    script: () => 'echo forged > .agency/mission.json',
    trace: ({ workspace }) => readFileSync(`${workspace}/.agency/mission.json`, 'utf8').includes('forged'),
  },
  {
    name: 'replace .agency by another directory',
    script: () => 'mv .agency old; mkdir .agency; echo forged > .agency/mission.json',
    trace: ({ workspace }) => readFileSync(`${workspace}/.agency/mission.json`, 'utf8').includes('forged'),
  },
  {
    name: 'remount a read-only directory writable',
    script: ({ scratch }, boxed) =>
      amongMounts(
        `mount --bind ${scratch} ${scratch}; mount -o remount,bind,ro ${scratch}`,
        `for at in ${boxed ? '.agency / /usr /proc' : scratch}; do mount -o remount,bind,rw $at && touch $at/broken && echo BREACHED; done`,
        boxed,
      ),
  },
  {
    name: 'unmount a mount that hides files',
    script: ({ scratch }, boxed) =>
      amongMounts(
        `mount -t tmpfs none ${scratch}`,
        `for at in ${boxed ? '.agency /tmp /run /dev/shm' : scratch}; do { umount $at || umount -l $at; } && echo BREACHED; done`,
        boxed,
      ),
  },
  {
    name: 'create a user namespace',
    script: () => 'unshare -U true && echo BREACHED',
  },
  {
    name: 'create a device',
    script: () => 'mknod device c 1 3 && echo BREACHED',
    skip: rootOnly,
  },
  {
    name: 'set the program that the kernel runs on a crash',
    script: () => 'f=/proc/sys/kernel/core_pattern; v=$(cat $f); printf %s "$v" > $f && echo BREACHED',
    skip: rootOnly,
  },
  ...(['tmux', 'docker', 'dbus'] as const).map((name): Attack => ({
    name: `connect to the ${name} server of the machine`,
    script: ({ sockets }) => greet(JSON.stringify({ path: sockets[name] })),
  })),
  {
    name: 'connect to an abstract socket',
    script: ({ sockets }) => greet(JSON.stringify({ path: sockets.abstract })),
  },
  {
    name: 'connect to the socket of another attempt',
    script: ({ sockets }) => greet(JSON.stringify({ path: sockets.otherAttempt })),
  },
  {
    name: 'read the environment of another process',
    script: ({ victim }) =>
      `cat /proc/${victim.pid}/environ /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n' | grep -q '^VICTIM=${victim.word}$' && echo BREACHED`,
  },
  {
    name: 'kill another process',
    script: ({ victim }) => `kill -9 ${victim.pid}`,
    trace: ({ victim }) => victim.isDead(),
  },
  {
    name: 'write through a symbolic link that leads outside',
    script: ({ outside }) => `ln -s ${outside} way; echo x > way/linked`,
    trace: ({ outside }) => existsSync(`${outside}/linked`),
  },
  {
    name: 'hard-link a file outside into the workspace',
    script: ({ outside }) => `ln ${outside}/secret hard && echo changed >> hard`,
    trace: ({ outside }) => readFileSync(`${outside}/secret`, 'utf8').includes('changed'),
  },
  {
    name: 'reach a server on the loopback of the machine',
    script: ({ port }) => greet(JSON.stringify({ host: '127.0.0.1', port })),
  },
  {
    name: 'reach a server on the loopback of the machine through the proxy',
    script: ({ port }) => greetThroughProxy('127.0.0.1', port),
  },
  {
    name: 'reach the loopback by a name or another notation',
    script: ({ port }) => ['localhost', '0x7f.1', '2130706433'].map((host) => greetThroughProxy(host, port)).join('; '),
  },
  {
    name: 'reach another address of the machine, directly and through the proxy',
    script: ({ port }) =>
      `${greet(JSON.stringify({ host: address(), port }))}; ${greetThroughProxy(address() ?? '', port)}`,
    skip: () => (address() === null ? 'this machine has only loopback addresses' : null),
  },
  {
    name: 'exceed the limit of processes',
    script: () => 'i=0; while [ $i -lt 40 ]; do sleep 20 & i=$((i+1)); done; sleep 2; echo BREACHED',
  },
  {
    name: 'exceed the limit of processes without a launch id',
    script: () => 'i=0; while [ $i -lt 40 ]; do setsid -f env -i sleep 4; i=$((i+1)); done; sleep 2; echo BREACHED',
  },
  {
    name: 'exceed the limit of memory',
    script: () => node(`const b = Buffer.alloc(300e6, 1); setTimeout(() => console.log('BREACHED', b[7]), 2000)`),
  },
  {
    name: 'exceed the limit of memory with files in a tmpfs',
    script: () =>
      'd=$(mktemp -d); for i in 1 2 3; do head -c 100000000 /dev/zero > $d/$i || exit 1; done; echo BREACHED; rm -r $d',
  },
  {
    name: 'exceed the limit of disk use',
    script: () => 'head -c 120000000 /dev/urandom > big; sync big; sleep 2; echo BREACHED; rm big',
  },
]
