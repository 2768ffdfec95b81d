/// <reference types="vite/client" />

interface Window {
  /** The first signs of a person, kept by early.ts until the app is there. */
  early: { asked?: boolean; control?: HTMLElement; start: () => void; end: () => void }
}
