declare module 'cmd-shim' {
  /** Writes what starts a program on Windows: `to` for Unix-like shells, `to.cmd` and `to.ps1`. */
  export default function cmdShim(from: string, to: string): Promise<void>;
}
