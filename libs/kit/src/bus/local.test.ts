import { busSuite } from './bus.suite.ts'
import { createLocalBus, type Hub } from './local.ts'

busSuite('local:', async () => {
  const hub: Hub = new Set()
  return { open: async (owner) => createLocalBus(hub, owner), close: async () => {} }
})
