import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const TICKS_PER_SECOND = 100

/** Seconds of processor time that a process and its children, those that have ended included, have used so far. */
export function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const [, , , , , , , , , , , user, system, endedUser, endedSystem] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number) as number[]
  return (
    (user! + system! + endedUser! + endedSystem!) / TICKS_PER_SECOND + childrenOf(pid).reduce((sum, child) => sum + cpuSeconds(child), 0)
  )
}

function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) => {
    const children = readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').trim()
    return children ? children.split(' ').map(Number) : []
  })
}

/** Memory that a process holds, in megabytes. */
export const residentMb = (pid: number): number =>
  Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1000)

/** The part of it that no other process shares: what one more process adds to a machine, while all of Node's share its program. */
export function ownMb(pid: number): number {
  const shares = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
  const of = (what: string) => Number(new RegExp(`^${what}:\\s+(\\d+)`, 'm').exec(shares)?.[1] ?? 0)
  return Math.round((of('Private_Clean') + of('Private_Dirty')) / 1000)
}

export const median = (values: number[]): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/** A script of this folder in a process of its own; resolves with its first message. */
export async function start<T>(script: string, input: unknown): Promise<{ child: ChildProcess; told: T }> {
  const child = fork(join(import.meta.dirname, script), [JSON.stringify(input)], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const [told] = (await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => Promise.reject(new Error(`${script} ended`))),
  ])) as [T]
  return { child, told }
}

/** A script that does one thing and tells its result. */
export async function run<T>(script: string, input: unknown): Promise<T> {
  const { child, told } = await start<T>(script, input)
  child.kill()
  return told
}

export function startProgram(program: string, args: string[]): ChildProcess {
  return spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit'] })
}
