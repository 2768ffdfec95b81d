import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../..')

/** The output of a git command in this repository, or null when it fails. */
export function git(...args: string[]): string | null {
  try {
    return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return null
  }
}

/** A commit's files in a folder of their own, with packages, ready to run. False where git cannot unpack it. */
export function unpackTree(commit: string, tree: string): boolean {
  mkdirSync(tree)
  const archive = `${tree}.tar`
  if (git('archive', '--output', archive, commit) === null) return false
  execFileSync('tar', ['-xf', archive, '-C', tree])
  rmSync(archive)
  if (readFileSync(join(tree, 'pnpm-lock.yaml'), 'utf8') === readFileSync(join(root, 'pnpm-lock.yaml'), 'utf8')) lendPackages(tree)
  else installPackages(tree)
  return true
}

/** The same packages: the links of each folder are copied, so that those among our own lead into the other tree. */
function lendPackages(tree: string) {
  symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'))
  const groups = ['libs', 'services'].flatMap((group) => readdirSync(join(tree, group)).map((name) => join(group, name)))
  for (const folder of ['gateway', 'deploy', 'proof', 'web', ...groups]) {
    const modules = join(root, folder, 'node_modules')
    if (existsSync(modules)) cpSync(modules, join(tree, folder, 'node_modules'), { recursive: true, verbatimSymlinks: true })
  }
}

function installPackages(tree: string) {
  const pnpm = /pnpm@[\d.]+/.exec(readFileSync(join(root, 'deploy/bootstrap.mjs'), 'utf8'))![0]
  execFileSync('npx', ['--yes', pnpm, 'install', '--frozen-lockfile', '--prefer-offline', '--reporter=silent'], {
    cwd: tree,
    stdio: 'inherit',
    env: { ...process.env, CI: '1' },
  })
}
