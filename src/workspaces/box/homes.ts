import { readdirSync, readFileSync } from 'node:fs'
import { homedir, userInfo } from 'node:os'
import { join } from 'node:path'

/** Returns the home directories of the operator, by the environment and by the list of users, and of the people here. */
export const homesHere = (): string[] =>
  [...new Set([homedir(), ...ownHome(), ...homesOfPeople()])].filter((home) => home !== '/')

const ownHome = (): string[] => orNone(() => [userInfo().homedir])

/** The ids that distributions give to root and to people; services have others, and homes that hold programs. */
const isOfPerson = (id: number): boolean => id === 0 || (id >= 1_000 && id < 60_000)

/** Users of a directory service are not in the list of this machine, but their homes are in their usual place. */
function homesOfPeople(): string[] {
  const listed = orNone(() => readFileSync('/etc/passwd', 'utf8').split('\n'))
    .map((line) => line.split(':'))
    .flatMap(([, , id, , , home = '']) => (home !== '' && isOfPerson(Number(id)) ? [home] : []))
  return [...listed, ...orNone(() => readdirSync('/home').map((name) => join('/home', name)))]
}

function orNone<Value>(read: () => Value[]): Value[] {
  try {
    return read()
  } catch {
    return []
  }
}
