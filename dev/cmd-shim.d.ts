declare module 'cmd-shim' {
  /** Writes launchers of a program: `to` for Unix-like shells, `to.cmd` and `to.ps1`. */
  export default function cmdShim(from: string, to: string): Promise<void>;
}
