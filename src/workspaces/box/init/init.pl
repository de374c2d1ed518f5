# The first process of a box: it starts the command and tells the daemon how the command ended. The command has the same
# user, so three things keep it away from this process: this process keeps capabilities that the command loses, it cannot
# be dumped, and as the first process of its namespace no signal from inside ends it. A process that may not trace another
# one cannot read its memory or take its descriptors either.
#
# It is written in Perl because the first process must reap orphans, drop capabilities and start quickly. Node does none
# of it, a shell cannot tell an exit code from a signal, and Perl is part of every Debian.
use strict;

my %calls = (
  x64 => { prctl => 157, capset => 126, sigprocmask => 14, sigtimedwait => 128, setsid => 112, exit => 231, setrlimit => 160 },
  arm64 => { prctl => 167, capset => 91, sigprocmask => 135, sigtimedwait => 137, setsid => 157, exit => 94, setrlimit => 164 },
);
my %signals = (HUP => 1, INT => 2, QUIT => 3, USR1 => 10, USR2 => 12, TERM => 15, CHLD => 17);
my ($closeOnExec, $noHang) = (1, 1);

# The plan and its secret arrive on the socket on which the status is sent; this is the only copy inside the box.
open my $daemon, '+<&=', 3 or exit 125;
fcntl $daemon, 2, $closeOnExec or exit 125;
closeOthers();
my $text = do { local $/; <$daemon> };
my ($machine, $secret, $maxTasks, @plan) = split /\0/, $text // '', -1;
my ($ports, $forwarder, $environment, $command) = map { [splice @plan, 0, shift @plan] } 1 .. 4;
my $call = $calls{$machine} // exit 125;

# PR_SET_DUMPABLE
prctl(4, 0) or fail('init', $!);
my $watched = pack 'Q', eval { my $set = 0; $set |= 1 << $_ - 1 for values %signals; $set };
syscall $call->{sigprocmask}, 0, $watched, 0, 8;

# RLIMIT_NPROC counts the processes of this user in this user namespace, so it holds for this box alone. The kernel excepts
# boxes of root, which are limited by their control group.
my $numbers = pack 'Q2', $maxTasks, $maxTasks;
syscall($call->{setrlimit}, 6, $numbers) == 0 or fail('init', $!);

if (@$ports) {
  # The forwarder inherits the sockets; a connection waits in them until it has started.
  my @listeners = map { listener(split / /, $_, 2) } @$ports;
  start([], [@$forwarder, map { fileno($_->[0]) . " $_->[1]" } @listeners], sub {
    # The output is the command's.
    open STDIN, '<', '/dev/null';
    open STDOUT, '>', '/dev/null';
  });
}
my $child = start($environment, $command);
report('began');

while (1) {
  my $signal = syscall $call->{sigtimedwait}, $watched, 0, 0, 8;
  if ($signal == $signals{CHLD}) { reap() }
  elsif ($signal > 0) { kill $signal, -$child }
}

# Reaps every process that has exited, orphans too, and ends the box with the command.
sub reap {
  while ((my $pid = waitpid -1, $noHang) > 0) {
    next if $pid != $child;
    my ($signal, $code) = ($? & 127, $? >> 8);
    report($signal ? "signal $signal" : "exit $code");
    exit 0;
  }
}

# Closes descriptors that the daemon has inherited itself: one of a directory would lead out of the box.
sub closeOthers {
  return if syscall(436, 4, 0xffffffff, 0) == 0;
  # The kernel is older than the call.
  opendir my $list, '/proc/self/fd' or exit 125;
  my @numbers = grep { /^\d+$/ && $_ > 3 && $_ != fileno $list } readdir $list;
  for my $number (@numbers) {
    open my $other, '<&=', $number or next;
    close $other;
  }
}

sub listener {
  my ($port, $path) = @_;
  local $^F = 1000;
  socket my $socket, 2, 1, 0 or fail("port $port", $!);
  bind $socket, pack('S n a4 x8', 2, $port, "\x7f\0\0\1") or fail("port $port", $!);
  listen $socket, 511 or fail("port $port", $!);
  return [$socket, $path];
}

# Starts a program without any privilege; returns once it runs.
sub start {
  my ($variables, $words, $before) = @_;
  pipe my $errors, my $failed or fail('init', $!);
  my $pid = fork // fail('command', $!);
  if ($pid == 0) {
    syscall $call->{setsid};
    $before->() if $before;
    dropPrivileges() or leave($failed, 'init', $!);
    syscall $call->{sigprocmask}, 2, my $nothing = pack('Q', 0), 0, 8;
    %ENV = map { split /=/, $_, 2 } @$variables;
    exec { $words->[0] } @$words;
    leave($failed, 'command', $!);
  }
  close $failed;
  my $error = do { local $/; <$errors> };
  return $pid if ($error // '') eq '';
  report("failed $error");
  exit 126;
}

# Drops all capabilities; with an empty bounding set and no_new_privs no program can get one back.
sub dropPrivileges {
  # PR_CAPBSET_READ fails behind the last capability, PR_CAPBSET_DROP if one cannot be dropped.
  for (my $capability = 0; defined(my $isIn = prctl(23, $capability)); $capability += 1) {
    $isIn != 1 or prctl(24, $capability) or return 0;
  }
  # _LINUX_CAPABILITY_VERSION_3 of this process, and empty sets. Perl refuses constants, because a call may write to them.
  my ($header, $none) = (pack('L2', 0x20080522, 0), pack('L6', (0) x 6));
  # PR_CAP_AMBIENT with PR_CAP_AMBIENT_CLEAR_ALL, then PR_SET_NO_NEW_PRIVS.
  return prctl(47, 4) && prctl(38, 1) && syscall($call->{capset}, $header, $none) == 0;
}

sub leave {
  my ($failed, $part, $error) = @_;
  syswrite $failed, $part . ' ' . ($error + 0);
  syscall $call->{exit}, 126;
}

sub fail {
  my ($part, $error) = @_;
  report("failed $part " . ($error + 0));
  exit 126;
}

sub report { syswrite $daemon, "$secret $_[0]\n" }

# Returns the result of a successful call, as a true value if it is zero.
sub prctl {
  my ($option, $value) = @_;
  my $result = syscall $call->{prctl}, $option, $value, 0, 0, 0;
  return $result == -1 ? undef : $result || '0 but true';
}
